"""The admin's log: details of failures in a file that nobody else may read, one JSON object a line."""

from __future__ import annotations

import json
import logging
import os
import stat
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from dpsql.errors import PolicyError, Problem
from dpsql.policy.model import Policy

_HOW = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


def check_log(policy: Policy) -> None:
    """Opens the log once, so that a policy that cannot be followed is not. Raises PolicyError."""
    if policy.admin_log is None:
        return
    try:
        os.close(_opened(policy.admin_log))
        return
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
    problem = Problem(str(policy.path), None, "admin_log", f"{policy.admin_log} cannot be used: {reason}")
    raise PolicyError((problem,))


def log_for_admin(text: str) -> None:
    """Writes to the admin's log, which shows nothing unless the host attaches a handler."""
    log = logging.getLogger("dpsql.admin")
    log.propagate = False
    if not log.handlers:
        log.addHandler(logging.NullHandler())
    log.error("%s", text)


def log_failure(policy: Policy, analyst: str, text: str) -> None:
    """Writes to the admin's logger, and to the file that the policy names; a full disk changes nothing else."""
    log_for_admin(text)
    if policy.admin_log is not None:
        with suppress(OSError):
            write_log(policy.admin_log, analyst, text)


def write_log(path: Path, analyst: str, text: str) -> None:
    """Appends one line, in one write, so that lines of several processes do not mix. Raises OSError."""
    at = datetime.now(UTC).isoformat(timespec="milliseconds")
    line = json.dumps({"at": at, "analyst": analyst, "failure": text}) + "\n"
    file = _opened(path)
    try:
        os.write(file, line.encode("ascii"))
    finally:
        os.close(file)


def _opened(path: Path) -> int:
    """A descriptor of the log, made with mode 0600 where it is not there. Raises OSError where others may read it."""
    file = os.open(path, _HOW, 0o600)
    status = os.fstat(file)
    if not stat.S_ISREG(status.st_mode) or stat.S_IMODE(status.st_mode) & 0o077:
        os.close(file)
        raise OSError("others may read it, or it is no file; chmod 600 it")
    return file
