"""Sessions of the shop for tests, as a worker would open them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from dpsql.dbapi import Connection
from dpsql.interfaces.shared_connections import connect
from dpsql.interfaces.wire.channel import CancelRequests, Opening, SessionSettings
from dpsql.interfaces.wire.startup import StartUp


@dataclass(slots=True)
class Turns:
    """How many calls run now, and how many have begun."""

    running: int = 0
    begun: int = 0

    @contextmanager
    def take(self) -> Iterator[None]:
        self.running += 1
        self.begun += 1
        try:
            yield
        finally:
            self.running -= 1


@dataclass(frozen=True, slots=True)
class Shop:
    """A policy and a ledger, and how sessions on them are opened."""

    policy: Path
    ledger: Path
    turns: Turns = field(default_factory=Turns)

    def connect(self, settings: SessionSettings, analyst: str = "alice") -> Connection:
        return connect(
            self.policy,
            analyst=analyst,
            ledger=self.ledger,
            epsilon=settings.epsilon,
            rows=settings.rows or "refuse",
            accuracy=settings.accuracy,
            clipping=settings.clipping,
            combine=settings.combine or False,
        )

    def opening(
        self,
        parameters: Mapping[str, str] = MappingProxyType({"user": "alice", "database": "shop"}),
        number: int = 1,
        protocol: tuple[int, int] = (3, 0),
    ) -> Opening:
        return Opening(
            parameters["user"],
            "alice",
            "shop",
            parameters,
            protocol,
            b"key!",
            number,
            self.connect,
            self.turns.take,
            CancelRequests(),
        )

    def of_start_up(self, packet: StartUp, number: int) -> Opening:
        return self.opening(packet.parameters, number, packet.protocol)
