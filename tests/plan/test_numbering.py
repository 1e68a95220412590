"""Groups are told apart by numbers as they are by comparing their keys."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from datetime import date

import pytest

from dpsql.plan.keys import numbering
from dpsql.plan.keys.numbering import firsts, most_alike, numbered

VALUES = ((1, 2, None), ("a", "b", ""), (True, False, None), (date(2025, 1, 1), date(2025, 1, 2)))


@pytest.mark.parametrize("room", [numbering._ROOM, 4])
@pytest.mark.parametrize("places", [p for n in range(5) for p in itertools.permutations(range(4), n)][::3])
def test_equal_keys_have_equal_numbers_in_the_order_in_which_they_appear(
    places: tuple[int, ...], room: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(numbering, "_ROOM", room)
    dice = random.Random(str(places))
    groups = [tuple(dice.choice(of) for of in VALUES) for _ in range(40)]
    known: dict[object, int] = {}
    kept = [tuple(group[p] for p in places) for group in groups]
    expected = [known.setdefault(key, len(known)) for key in kept]
    found = numbered(groups, places)
    assert found.tolist() == expected
    assert [kept[i] for i in firsts(found)] == list(known)
    assert most_alike(groups, places) == max(Counter(kept).values())


def test_without_groups_there_are_no_numbers() -> None:
    assert numbered((), (0, 1)).tolist() == [] and most_alike((), (0,)) == 1
