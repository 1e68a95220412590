"""What an explanation says of the parts of a partition: whose budget a release takes from."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace

from dpsql.answers import Explanation
from dpsql.plan.implied import View
from dpsql.privacy import Charge, Confined

_MOST_NAMED = 8
NOT_LISTED = "NULL or not listed"


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
    names = sorted((part_text(p) or NOT_LISTED for p in confined.parts), key=lambda n: (n == NOT_LISTED, n))
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(names[:_MOST_NAMED]) + more


def part_text(part: str) -> str | None:
    """The value of a part for people; None for the part of what is NULL or not listed."""
    value = json.loads(part)
    return None if value is None else value if isinstance(value, str) else part
