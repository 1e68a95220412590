"""The rules of names that a policy lists: each is valid, and no two are equal once folded."""

from __future__ import annotations

from collections.abc import Callable

from dpsql.policy.findings import Spot
from dpsql.policy.yaml_positions import Entry


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
