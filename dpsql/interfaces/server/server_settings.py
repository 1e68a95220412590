"""What `dpsql serve` was told, as its processes pass it on."""

from __future__ import annotations

import ipaddress
import json
import socket
from collections.abc import Mapping
from pathlib import Path

from dpsql.errors import InterfaceError
from dpsql.slotted import dataclass

Address = tuple[str, int]


@dataclass(frozen=True, slots=True)
class TlsFiles:
    """The server's certificate chain and key, and the authority of clients' certificates where they are taken."""

    certificate: Path
    key: Path
    client_authority: Path | None = None


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """Databases by name, the address, the users file, TLS, and how many engines of a kind may run at once.

    `ledgers` has the ledger of a database where it is not beside the policy.

    InterfaceError for an address off this host without TLS: passwords, queries and answers could be read on the way.
    """

    databases: Mapping[str, Path]
    listen: Address
    users: Path
    tls: TlsFiles | None
    ledgers: Mapping[str, str]
    engines: int

    def __post_init__(self) -> None:
        if self.tls is None and not all(map(_is_loopback, self.addresses())):
            raise InterfaceError(
                f"{self.listen[0]} can be reached from other hosts, which needs a certificate: "
                "give --tls-cert and --tls-key, or listen on 127.0.0.1"
            )

    def addresses(self) -> tuple[tuple[socket.AddressFamily, Address], ...]:
        """The addresses that the name of the host stands for. Raises InterfaceError where it stands for none."""
        host, port = self.listen
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        except (OSError, UnicodeError):
            raise InterfaceError(f"{host} is not an address of this host") from None
        return tuple(dict.fromkeys((family, (str(at[0]), int(at[1]))) for family, _, _, _, at in found))

    def written(self) -> str:
        """The settings as a text that `read` reads."""
        tls = self.tls
        files = [tls.certificate, tls.key, tls.client_authority] if tls is not None else None
        return json.dumps(
            {
                "databases": {name: str(path) for name, path in self.databases.items()},
                "listen": list(self.listen),
                "users": str(self.users),
                "tls": [str(file) if file is not None else None for file in files] if files else None,
                "ledgers": dict(self.ledgers),
                "engines": self.engines,
            }
        )

    @classmethod
    def read(cls, text: str) -> ServerSettings:
        """The settings in a text that `written` wrote."""
        given = json.loads(text)
        files = [Path(file) if file is not None else None for file in given["tls"] or ()]
        return cls(
            {name: Path(path) for name, path in given["databases"].items()},
            (given["listen"][0], given["listen"][1]),
            Path(given["users"]),
            TlsFiles(*files) if files else None,  # type: ignore[arg-type]
            given["ledgers"],
            given["engines"],
        )


def _is_loopback(found: tuple[socket.AddressFamily, Address]) -> bool:
    return ipaddress.ip_address(found[1][0].partition("%")[0]).is_loopback
