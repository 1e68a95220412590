"""Whatever stands in the file: a Policy, or PolicyError."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from shop_policy import SHOP

from dpsql.errors import PolicyError
from dpsql.policy.load import load_policy
from dpsql.policy.model import Policy

NASTY = (
    "", "~", "null", "no", "true", "''", '""', '"\\ud800"', '"\\0"', "\u200b", "[]", "{}", "[[]]", "{a: {b}}",
    "&a x", "*a", "!!int 1", "<<", "0", "-1", "1e-6", "1e300", "1e-300", "9" * 99, "9" * 101, "-.inf",
    ".nan", "0x1", "1:30", "2025-01-01", "2025-99-99", "2025-01-01 00:00:00", "0001-01-01", "customers",
    "customers.*", "main.orders", "*", ".", "integer", "text", "date", "timestamp", "pure", "? x", "- x", "|",
    ">", "'", '"', "#", ": ", "\t", "𝔄", "x.csv",
)  # fmt: skip
WORDS = SHOP.replace(",", " ").replace("{", " ").replace("}", " ").split()


def mutated(draw: random.Random) -> str:
    """The good policy after one to five cuts, repetitions or replacements of words, lines or characters."""
    text = SHOP
    for _ in range(draw.randint(1, 5)):
        kind = draw.randrange(5)
        lines = text.splitlines(keepends=True) or ["\n"]
        at = draw.randrange(len(lines))
        if kind == 0:
            del lines[at]
        elif kind == 1:
            lines.insert(at, draw.choice(lines))
        elif kind == 2:
            word = draw.choice(WORDS)
            lines[at] = lines[at].replace(word, draw.choice(NASTY + tuple(WORDS)))
        elif kind == 3:
            cut = draw.randrange(len(lines[at]) + 1)
            lines[at] = lines[at][:cut] + draw.choice(NASTY) + lines[at][cut + draw.randrange(2) :]
        else:
            key, colon, _ = lines[at].partition(":")
            lines[at] = f"{key}{colon} {draw.choice(NASTY)}\n"
        text = "".join(lines)
    return text


def outcome(path: Path, data: bytes) -> Policy | PolicyError:
    path.write_bytes(data)
    try:
        return load_policy(path)
    except PolicyError as error:
        assert error.problems and all(p.message and "\n" not in str(p) for p in error.problems)
        return error


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("policies") / "policy.yaml"


@pytest.mark.parametrize("count", [400, pytest.param(10_000, marks=pytest.mark.slow)])
def test_a_mutated_policy_loads_or_raises_policy_error(file: Path, count: int) -> None:
    draw = random.Random(20250101)
    outcomes = (outcome(file, mutated(draw).encode("utf-8", "surrogatepass")) for _ in range(count))
    loaded = sum(isinstance(o, Policy) for o in outcomes)
    assert count / 100 < loaded < 0.9 * count, "the mutations are too wild or too tame to tell anything"


@given(st.randoms(use_true_random=False))
@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_mutation_loads_or_raises_policy_error(file: Path, draw: random.Random) -> None:
    outcome(file, mutated(draw).encode("utf-8", "surrogatepass"))


@given(st.binary(max_size=200) | st.text(max_size=200).map(lambda t: t.encode("utf-8", "surrogatepass")))
@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes_raise_policy_error(file: Path, data: bytes) -> None:
    assert isinstance(outcome(file, data), PolicyError)
