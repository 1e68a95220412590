"""The users as their file has them by now."""

from __future__ import annotations

from pathlib import Path

from dpsql.errors import PolicyError
from dpsql.interfaces.server.event_log import EventLog
from dpsql.interfaces.server.logins.users import Users
from dpsql.interfaces.server.logins.users_file import read_users

Stamp = tuple[int, int, int, int] | None


class UsersWatch:
    """Reads the file again when it is another one; while it is broken or gone, the former users stay."""

    __slots__ = ("_log", "_path", "_stamp", "users")

    def __init__(self, path: Path, log: EventLog) -> None:
        self._path = path
        self._log = log
        self._stamp = _stamp(path)
        self.users: Users = read_users(path)

    def look(self) -> bool:
        """Whether the users are others than at the last look."""
        now = _stamp(self._path)
        if now == self._stamp:
            return False
        self._stamp = now
        try:
            users = read_users(self._path)
        except PolicyError as error:
            self._log.write("users file broken, the former one stays", reason=str(error))
            return False
        changed, self.users = users != self.users, users
        self._log.write("users read", logins=len(users.by_login))
        return changed


def _stamp(path: Path) -> Stamp:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_mode
