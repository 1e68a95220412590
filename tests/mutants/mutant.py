"""What a mutant is: small edits of the sources, and the tests that must notice them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Edit:
    """`old`, which stands exactly once in the file, becomes `new`."""

    file: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Mutant:
    """A defect, and the tests of which at least one must fail."""

    name: str
    edits: tuple[Edit, ...]
    caught_by: tuple[str, ...]


def one(name: str, file: str, old: str, new: str, caught_by: tuple[str, ...]) -> Mutant:
    """A mutant of one edit."""
    return Mutant(name, (Edit(file, old, new),), caught_by)
