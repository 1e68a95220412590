"""What clients of the server may take before and after their login."""

from __future__ import annotations

from dpsql.slotted import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Bytes, seconds and numbers of connections.

    Before the login: `start_up` and `login_message` are the longest packets; everything is done within `login_seconds`;
    `waiting` connections at a time, `waiting_of_address` of them from one address, and of those that wait since logins
    failed `delayed` and `delayed_of_address`, which bounds how often passwords are tried. After: `message` is the
    longest message, `sessions` and `sessions_of_analyst` the most at a time, a session may be idle for `idle_seconds`,
    and its client has `write_seconds` to take what was sent to it.
    """

    start_up: int = 10_000
    login_message: int = 2_000
    login_seconds: float = 10
    waiting: int = 100
    waiting_of_address: int = 50
    delayed: int = 20
    delayed_of_address: int = 5
    message: int = 1 << 20
    sessions: int = 100
    sessions_of_analyst: int = 10
    idle_seconds: float = 3_600
    write_seconds: float = 60
