"""How long a client waits before its login is looked at, after logins have failed."""

from __future__ import annotations

import ipaddress
import time
from collections import OrderedDict
from collections.abc import Callable

from dpsql.slotted import dataclass

_FIRST = 0.1
_OF_BOTH, _OF_LOGIN, _OF_ADDRESS = 5.0, 1.0, 0.25
_FORGOTTEN = 600.0
_FREE_OF_ADDRESS = 10
_MOST = 10_000


@dataclass(slots=True)
class _Count:
    failures: int
    latest: float


class LoginFailures:
    """Failed logins by login, by address, and by both together.

    A login that failed from an address waits there for 0.1 s, 0.2 s, and so on up to 5 s; one that failed elsewhere up
    to a second; and an address from which more than ten logins failed up to a quarter of one: nobody can lock another
    one out. The wait comes before the proof is looked at, so that a client which hangs up early learns nothing.
    With `of_address` of 0 seconds nobody waits for what failed with others' logins.
    """

    __slots__ = ("_clock", "_counts", "_of_address")

    def __init__(self, clock: Callable[[], float] = time.monotonic, of_address: float = _OF_ADDRESS) -> None:
        self._of_address = of_address
        self._counts: OrderedDict[tuple[str, str], _Count] = OrderedDict()
        self._clock = clock

    def delay(self, login: str, address: str) -> float:
        """The seconds to wait."""
        of_both = _grown(self._failures((login, address)), _OF_BOTH)
        of_login = _grown(self._failures((login, "")), _OF_LOGIN)
        of_address = _grown(self._failures(("", address)) - _FREE_OF_ADDRESS, self._of_address)
        return max(of_both, of_login, of_address)

    def failed(self, login: str, address: str) -> None:
        """Remembers a failure; what has not failed for ten minutes is forgotten, and the oldest beyond 10,000."""
        for key in ((login, address), (login, ""), ("", address)):
            failures = self._failures(key)
            self._counts[key] = _Count(failures + 1, self._clock())
            self._counts.move_to_end(key)
        while len(self._counts) > _MOST:
            self._counts.popitem(last=False)

    def succeeded(self, login: str, address: str) -> None:
        """Forgets what failed for this login here."""
        self._counts.pop((login, address), None)

    def _failures(self, key: tuple[str, str]) -> int:
        count = self._counts.get(key)
        if count is None or self._clock() - count.latest > _FORGOTTEN:
            return 0
        return count.failures


def _grown(failures: int, most: float) -> float:
    return min(most, _FIRST * 2.0 ** min(failures - 1, 30)) if failures > 0 else 0.0


def counted_address(host: str) -> str:
    """The address that a client's connections are counted under: of IPv6 the network of 64 bits."""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv6Address):
        mapped = address.ipv4_mapped
        return str(mapped) if mapped else str(ipaddress.ip_network((int(address), 64), strict=False))
    return str(address)
