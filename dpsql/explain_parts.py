"""What an explanation says of the parts of a partition: whose budget a release takes from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from dpsql.answers import Explanation
from dpsql.plan.implied import View
from dpsql.plan.parts import part_text
from dpsql.privacy import Charge, Confined

_MOST_NAMED = 8


def with_parts(
    found: Explanation, column: str, charges: Sequence[Charge | None], views: Sequence[View | None]
) -> Explanation:
    """The explanation with a note on each release that is drawn under a policy whose partition is `column`."""
    return replace(found, notes=(*found.notes, *_notes(column, charges, views))) if column else found


def _notes(column: str, charges: Sequence[Charge | None], views: Sequence[View | None]) -> Iterator[str]:
    for i, charge in enumerate(charges):
        if charge is None or (views and views[i] is not None):
            continue
        if charge.confined is None:
            yield f"released.r{i} is charged to every part of the partition: nothing confines it to some of {column}"
        else:
            yield f"released.r{i} is charged to a part of the partition alone: {column} {_named(charge.confined)}"


def _named(confined: Confined) -> str:
    values = map(part_text, confined.parts)
    names = [named(v) for v in sorted(values, key=lambda v: (v is None, v))]
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(names[:_MOST_NAMED]) + more


def named(value: str | None) -> str:
    """The value of a part for people, None for the part of what is on no list."""
    return "NULL or not listed" if value is None else value or "''"
