"""Fingerprints of source files: whether one changed, never what is in it; for the admin alone."""

from __future__ import annotations

from dpsql.policy.model import Policy


def fingerprints(policy: Policy) -> tuple[tuple[str, str], ...]:
    """One text for each source file of the policy: its size, its time of change and its inode."""
    found = {}
    for table in policy.tables:
        path = table.source.path
        try:
            status = path.stat()
            found[str(path)] = f"{status.st_size}:{status.st_mtime_ns}:{status.st_ino}"
        except OSError:
            found[str(path)] = "missing"
    return tuple(sorted(found.items()))
