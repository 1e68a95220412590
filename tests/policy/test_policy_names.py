"""How names compare."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpsql.policy.names import fold_name


@given(st.text())
def test_folding_a_folded_name_changes_nothing(name: str) -> None:
    assert fold_name(fold_name(name)) == fold_name(name)


@pytest.mark.parametrize(
    ("one", "other"),
    [("Alice", "aLICE"), ("Straße", "STRASSE"), ("é", "e\u0301"), ("ﬁn", "FIN"), ("Ⅷ", "viii"), ("ς", "Σ")],
)
def test_variants_of_a_name_are_one_name(one: str, other: str) -> None:
    assert fold_name(one) == fold_name(other)


def test_different_names_stay_different() -> None:
    assert len({fold_name(n) for n in ("alice", "alicé", "al ice", "bob", "а")}) == 5
