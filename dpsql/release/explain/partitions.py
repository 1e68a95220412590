"""What an explanation says of the parts of a partition: whose budget a release takes from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dpsql.plan.derivation import Derivation
from dpsql.plan.partitions import part_text
from dpsql.privacy import Charge, Confined
from dpsql.release.types import Explanation

_MOST_NAMED = 8


def charged_to(
    column: str, charges: Sequence[Charge | None], derivations: Sequence[Derivation | None]
) -> tuple[str, ...]:
    """For each release whose budget it takes from, where `column` is the policy's partition; nothing for what is free.

    Empty where there is no partition.
    """
    free = derivations or (None,) * len(charges)
    return tuple(_told(column, c, v) for c, v in zip(charges, free, strict=True)) if column else ()


def _told(column: str, charge: Charge | None, derivation: Derivation | None) -> str:
    if charge is None or derivation is not None:
        return ""
    if charge.confined is None:
        return f"charged to every part of the partition: nothing confines it to some values of {column}"
    return f"charged to a part of the partition alone: {column} {_named(charge.confined)}"


def with_charged(found: Explanation, charged: tuple[str, ...]) -> Explanation:
    """The explanation with a note on each release of which `charged_to` says something."""
    notes = (f"released.r{i} is {told}" for i, told in enumerate(charged) if told)
    return replace(found, notes=(*found.notes, *notes))


def _named(confined: Confined) -> str:
    values = map(part_text, confined.parts)
    names = [named(v) for v in sorted(values, key=lambda v: (v is None, v))]
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(names[:_MOST_NAMED]) + more


def named(value: str | None) -> str:
    """The value of a part for people, None for the part of what is on no list."""
    return "NULL or not listed" if value is None else value or "''"
