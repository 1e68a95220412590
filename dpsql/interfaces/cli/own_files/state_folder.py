"""The folder in which the command keeps what is the user's own: what was typed, and what was asked."""

from __future__ import annotations

import os
import platform
from contextlib import suppress
from pathlib import Path

import click


def state_folder() -> Path:
    """`dpsql` in XDG_STATE_HOME, on Linux by default ~/.local/state, elsewhere the system's place for such files."""
    given = os.environ.get("XDG_STATE_HOME", "")
    if os.path.isabs(given):
        return Path(given) / "dpsql"
    if platform.system() == "Linux":
        return Path.home() / ".local" / "state" / "dpsql"
    return Path(click.get_app_dir("dpsql"))


def private_file(path: Path) -> Path | None:
    """The file, made where it is missing, for this user alone to read; None where it cannot be so."""
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.touch(mode=0o600)
        path.chmod(0o600)
        return path
    return None
