"""Collects mistakes: every check reports and goes on, so that all are found at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field

from dpsql.errors import Place, Problem
from dpsql.policy.scalars import Leaf
from dpsql.policy.yaml_positions import Entry, KeyPath, Mapping, Node, path_text
from dpsql.slotted import dataclass


@dataclass(slots=True)
class Findings:
    """The mistakes found so far in one policy; `root` tells where each path stands in the file."""

    file: str
    root: Mapping
    unreadable: tuple[Problem, ...] = ()
    _found: list[Problem] = field(default_factory=list)

    def add(self, path: KeyPath, message: str, at: Place | None = None) -> None:
        """Report a mistake at `path`; it is shown at `at`, else where the path's value or key stands."""
        self._found.append(Problem(self.file, at or self.locate(path), path_text(path), _printable(message)))

    def problems(self) -> tuple[Problem, ...]:
        """All mistakes in the order of the file; an unreadable place is reported once."""
        taken = {p.place for p in self.unreadable}
        later = [p for p in dict.fromkeys(self._found) if p.place not in taken]
        return tuple(sorted((*self.unreadable, *later), key=_position))

    def locate(self, path: KeyPath, *, key: bool = False) -> Place:
        """Where a path stands: a scalar's own place, else its key's, since a block begins a line later."""
        node: Node = self.root
        place = self.root.place
        for step in path:
            entry = node.get(step) if isinstance(node, Mapping) else None
            if entry is None:
                break
            node = entry.value
            place = node.place if isinstance(node, Leaf) and node.text and not key else entry.place
        return place


@dataclass(frozen=True, slots=True)
class Spot:
    """A path in the policy, to report mistakes at."""

    findings: Findings
    path: KeyPath = ()

    def under(self, *keys: str) -> Spot:
        """The spot of a part of this part."""
        return Spot(self.findings, (*self.path, *keys))

    def add(self, message: str, at: Place | None = None) -> None:
        """Report a mistake here."""
        self.findings.add(self.path, message, at)

    def add_at_key(self, message: str) -> None:
        """Report a mistake in the key itself rather than in its value."""
        self.findings.add(self.path, message, self.findings.locate(self.path, key=True))


def _printable(message: str) -> str:
    """One line, whatever the names in it hold."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in message)


def _position(problem: Problem) -> tuple[int, int]:
    return (problem.place.line, problem.place.column) if problem.place else (0, 0)


def check_names(
    listed: tuple[Entry, ...],
    mistake: Callable[[str], str | None],
    fold: Callable[[str], str],
    same: str,
    spot: Spot,
) -> None:
    """Report what `mistake` says of a name, and names that fold to an earlier one, which `same` takes at {}."""
    seen: dict[str, str] = {}
    for entry in listed:
        here = spot.under(entry.key)
        if message := mistake(entry.key):
            here.add_at_key(message)
        folded = fold(entry.key)
        if folded in seen:
            here.add_at_key(same.format(seen[folded]))
        seen.setdefault(folded, entry.key)
