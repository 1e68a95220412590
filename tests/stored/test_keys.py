"""Keys are what they were: a key that changes is a question that every analyst pays for once more.

Where a test fails, the text that the key is a digest of has changed: by the table of names, by the words of a
`because`, by the name of an operation or of a column that a relation makes, or since a query is planned otherwise.
Whoever means that removes the old keys of those questions, lets `make.py` add the new ones, and says in the CHANGELOG
who pays for what.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
import sqlglot

from dpsql.algebra.encoding.reading import question_of
from dpsql.algebra.question import Question
from dpsql.errors import QueryRefused
from dpsql.plan.forms import canonical, releases
from dpsql.session import Session
from stored.shop import KEYS, TEXTS, Asked, keys_of, make_shop, opened, policies

GOLDEN = tuple(json.loads(line) for line in KEYS.read_text(encoding="utf-8").splitlines())
WRITTEN = tuple(gzip.decompress(TEXTS.read_bytes()).decode().split("\n"))


@pytest.fixture(scope="module")
def sessions(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Session]]:
    shop = make_shop(tmp_path_factory.mktemp("keys"))
    with ExitStack() as stack:
        yield {name: stack.enter_context(opened(shop, Asked(name, ""))) for name in policies()}


@pytest.mark.one_in(5)
@pytest.mark.parametrize("place", range(3))
@pytest.mark.parametrize("policy", policies())
def test_a_question_has_the_key_that_it_had(policy: str, place: int, sessions: dict[str, Session]) -> None:
    changed = {}
    for found in [g for g in GOLDEN if g["policy"] == policy][place::3]:
        try:
            keys, _ = keys_of(sessions[policy], found["sql"], found["params"])
        except QueryRefused:
            assert int(sqlglot.__version__.split(".")[0]) < 30, (
                found
            )  # an older one does not read all of them
            continue
        if keys != found["keys"]:
            changed[found["sql"]] = keys
    assert not changed


def test_questions_of_every_policy_are_among_them() -> None:
    assert {found["policy"] for found in GOLDEN} >= set(policies()) and len(GOLDEN) > 300


def test_a_text_that_was_written_is_read_and_written_again() -> None:
    """Whatever the planner makes of a query by now."""
    for text in WRITTEN:
        assert canonical(tuple(releases().items(text))) == text
    assert len(WRITTEN) > 300


def test_only_plain_questions_are_read_back_as_questions() -> None:
    kinds = {text[1 : text.index("(", 1)]: question_of(text) for text in WRITTEN}
    assert type(kinds.pop("Question")) is Question
    assert kinds == {"LeveledQuestion": None, "LocalQuestion": None}


def test_every_class_is_in_a_text_that_was_written() -> None:
    every = "".join(WRITTEN)
    names = [form.name for form in releases().forms.values()]
    missing = {name for name in names if f"{name}(" not in every and f"<{name}." not in every}
    assert not missing
