"""How names compare."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpsql.policy.names import account_name_mistake, analyst_name_mistake, fold_name


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


GOOD = (
    "alice", "Alice", "zoë", "Αλίκη", "爱丽丝", "Alí", "al ice", "a@b.de", "x" * 128,
    "🦊",
)  # fmt: skip
BAD = (
    "", " ", "alice ", " alice", "\talice", "alice\n", "alice\u00a0", "al  ice", "al\u00a0ice", "al\u2003ice",
    "al\u1680ice", "ali\u200bce", "ali\u200dce", "\ufeffalice", "alice\u2060", "ali\u00adce", "\u202ealice",
    "alice\x00", "alice\x7f", "ali\u034fce", "alice\u3164", "alice\uffa0", "alice\ufe0f", "ali\u180ece",
    "alice\u2800", "alice\U000e0061", "alice\ue000", "alice\u0378", "zoe\u0308", "\u212bngstrom", "\u00a8alice",
    "x" * 129, "\ufdfa" * 10, "ali\ud800ce",
)  # fmt: skip


@pytest.mark.parametrize("name", GOOD)
def test_a_name_of_visible_characters_is_a_name(name: str) -> None:
    assert analyst_name_mistake(name) is None


@pytest.mark.parametrize("name", BAD, ids=ascii)
def test_what_looks_like_another_name_is_none(name: str) -> None:
    assert analyst_name_mistake(name) == account_name_mistake(name) is not None


def test_the_composed_form_is_told() -> None:
    assert analyst_name_mistake("zoe\u0308") == (
        "a name is written in composed characters (Unicode NFC), here zo\u00eb"
    )


@given(
    st.text(min_size=1), st.sampled_from(" \t\u00a0\u200b\u2060\ufeff\u034f\u3164\U000e0020"), st.integers(0)
)
def test_no_blank_or_unseen_character_makes_a_second_name_of_one(name: str, more: str, at: int) -> None:
    longer = name[: at % (len(name) + 1)] + more + name[at % (len(name) + 1) :]
    if analyst_name_mistake(name) is None and analyst_name_mistake(longer) is None:
        assert more == " " and longer.replace(" ", "") == name.replace(" ", "") and " " in longer.strip()


@given(st.text(), st.text())
def test_names_that_are_both_names_and_compose_alike_are_one(one: str, other: str) -> None:
    for name in (one, other):
        if analyst_name_mistake(name) is None:
            assert (
                name == unicodedata.normalize("NFC", name) and analyst_name_mistake(fold_name(name)) is None
            )
