"""Canonical text is written by the table alone, as `repr` wrote it when keys were first stored, and is read back."""

from __future__ import annotations

import dataclasses
import importlib
import math
import pkgutil
import types
import typing
from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from itertools import chain
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pytest

from dpsql.algebra.encoding.encoder import Encoding, Field, Form, Members, Unreadable
from dpsql.algebra.encoding.reading import beginning, question_of
from dpsql.algebra.encoding.written_expressions import in_order
from dpsql.algebra.encoding.written_relations import QUESTIONS, questions
from dpsql.algebra.expressions import TRUE, Call, Column, Literal
from dpsql.algebra.question import Aggregate, Measure, Question
from dpsql.algebra.relations import JoinKind, Scan
from dpsql.algebra.types import SqlType
from dpsql.errors import InternalError
from dpsql.plan.forms import RELEASES, canonical, releases
from dpsql.plan.rollup.fitted_sums import FittedSums, Marginal
from dpsql.plan.sums.cells import Blended, Family
from dpsql.plan.types import Release
from dpsql.slotted import dataclass
from dpsql.sql.ast.literals import constant
from stored.corpus import EVERY, of_cases, of_fuzz

QUERIES = 25
# What the types of a plan allow and nothing that is stored has: a law that intervals are told from alone.
NEVER_WRITTEN = {Blended, FittedSums, Marginal}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory, executions: int, fuzz_seed: int) -> tuple[Release, ...]:
    folder = tmp_path_factory.mktemp("corpus")
    fuzzed = of_fuzz(folder, executions or QUERIES, fuzz_seed)
    return (*of_cases(folder / "shop", 1 if executions else EVERY), *fuzzed)


def renamed() -> set[str]:
    """The names in texts that the code has others for by now, and those of classes with fields that came later."""
    found = set()
    for kind, form in RELEASES.items():
        if isinstance(form, Members):
            other = any(f"<{form.name}.{text}>" != repr(member) for member, text in form.texts.items())
        else:
            other = any(f.name != f.attribute or f.left_out is not None for f in form.fields)
        found |= {form.name} if other or kind.__name__ != form.name else set()
    return found


def test_the_text_of_plans_is_what_repr_makes_of_them(corpus: tuple[Release, ...]) -> None:
    """Of what has other names by now, the golden texts tell."""
    others = renamed()
    texts = set()
    for release in corpus:
        value = (release.question, release.parts, release.keys.domain)
        text = canonical(value)
        if not any(name in text for name in others):
            assert text == repr(value)
        texts.add(text)
    assert len(texts) > 60


def test_the_text_of_plans_is_read_back_as_what_was_written(corpus: tuple[Release, ...]) -> None:
    for text in {canonical((r.question, r.parts, r.keys.domain)) for r in corpus}:
        question, parts, domain = releases().items(text)
        assert canonical((question, parts, domain)) == text


def test_a_text_begins_as_everything_about_its_rows_begins(corpus: tuple[Release, ...]) -> None:
    for release in corpus:
        q = release.question
        begins = canonical((q, release.parts)).startswith(beginning(q.relation))
        assert begins is (type(q) is Question)


def test_conjuncts_stand_in_the_order_of_their_texts() -> None:
    x, y = Column(0, "x", SqlType.INTEGER), Column(0, "y", SqlType.TEXT)
    first, second = Call("is_null", (y,), SqlType.BOOLEAN), Call("gt", (x, x), SqlType.BOOLEAN)
    assert in_order([first, TRUE, second, first]) == (second, first, TRUE)
    assert in_order([first, TRUE, second, first]) == tuple(sorted((first, TRUE, second), key=repr))


VALUES = [
    *(None, True, False, 0, 1, -1, 2**126, -(2**200)),
    *(0.0, -0.0, 0.1, -2.5, 1e308, 5e-324, 1e16, 1e-5, math.nan, math.inf, -math.inf),
    *(
        "",
        "a",
        "it's",
        'say "x"',
        "both ' and \"",
        "back\\slash",
        "line\nbreak\ttab\r\0\x7f",
        "ü",
        "\u200b",
        "\ud800",
    ),
    *("<JoinKind.INNER: 'inner'>", "Scan(table='t', index=0)", "😀", "\u0301", "%s %d %%"),
    *(Fraction(0), Fraction(-1, 3), Fraction(2**80, 7)),
    *(date(1, 1, 1), date(9999, 12, 31), datetime(2025, 1, 2), datetime(2025, 1, 2, 3, 4, 5, 6)),
    *(datetime(2025, 1, 2, 3, 4, 5), datetime(2025, 1, 2, 0, 0, 0, 1), datetime(2025, 1, 2, fold=1)),
    *((), (1,), (1, 2), ((),), ((1,),), (1, (2, "x")), tuple(range(20)), tuple((i, "x") for i in range(20))),
    *(tuple((Fraction(i), i) for i in range(20)), ((1,), 2) * 10, ((), ()) * 10, (((1,),),) * 10),
    *(tuple(f"it's {i}" for i in range(20)), (math.nan, -0.0) * 10, (JoinKind.LEFT,) * 10),
]


@pytest.mark.parametrize("value", VALUES, ids=lambda v: ascii(v)[:40])
def test_a_value_is_written_as_python_writes_it(value: object) -> None:
    assert canonical(value) == repr(value) and questions().text((value,)) == repr((value,))


@pytest.mark.parametrize(
    "value", [v for v in VALUES if "inf" not in repr(v) and "nan" not in repr(v)], ids=ascii
)
def test_a_value_is_read_back_with_its_type(value: object) -> None:
    (found,) = releases().items(canonical((value,)))
    assert repr(found) == repr(value)


class Text(str):
    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Table(Scan):
    pass


OTHERS = [
    *([1], {1}, frozenset({1}), {"a": 1}, Decimal(1), b"x", 1j, object(), int, np.int64(1), np.float64(0.5)),
    *(
        Text("a"),
        Table("t", 0),
        datetime(2025, 1, 1, tzinfo=UTC).timetz(),
        (1, [2]),
        ([1],) * 20,
        ((Text("a"),),) * 20,
    ),
    Blended((), (), 1, Fraction(1), ""),
    Literal(Decimal(1), SqlType.DOUBLE),  # type: ignore[arg-type]
]


@pytest.mark.parametrize("value", OTHERS, ids=lambda v: type(v).__name__)
def test_what_is_not_in_the_table_is_written_by_nobody(value: object) -> None:
    with pytest.raises(InternalError, match="no written form"):
        canonical(value)


class Number(int):
    def __repr__(self) -> str:
        return "1"

    __str__ = __repr__


class Word(str):
    __slots__ = ()

    def __repr__(self) -> str:
        return "'a'"

    __str__ = __repr__


class Moment(datetime):
    def __repr__(self) -> str:
        return "datetime.datetime(2025, 1, 1, 0, 0)"


class Day(date):
    def __repr__(self) -> str:
        return "datetime.date(2025, 1, 1)"


class Real(float):
    def __repr__(self) -> str:
        return "0.5"


@pytest.mark.parametrize(
    ("given", "plain"),
    [
        *((Number(2), 2), (Word("b"), "b"), (Real(2.5), 2.5), (np.float64(2.5), 2.5), (np.str_("b"), "b")),
        *(
            (Moment(2025, 2, 3, 4, 5, 6, 7), datetime(2025, 2, 3, 4, 5, 6, 7)),
            (Day(2025, 2, 3), date(2025, 2, 3)),
        ),
        (datetime(2025, 2, 3, fold=1), datetime(2025, 2, 3)),
    ],
)
def test_a_parameter_of_a_derived_class_is_written_as_the_value_it_is(given: object, plain: object) -> None:
    """What a class says of its values would otherwise be the key of a draw over other rows."""
    assert canonical(constant(given)) == canonical(constant(plain)) == repr(constant(plain))


def test_a_member_that_is_not_in_the_table_is_written_by_nobody() -> None:
    less = Members("JoinKind", {JoinKind.INNER: "INNER: 'inner'"})
    encoding = Encoding({JoinKind: less})
    assert encoding.text(JoinKind.INNER) == "<JoinKind.INNER: 'inner'>"
    with pytest.raises(InternalError):
        encoding.text(JoinKind.LEFT)


def test_parts_of_a_plan_are_no_part_of_the_algebra() -> None:
    with pytest.raises(InternalError):
        questions().text(Family((), (), 1, Fraction(1), ""))


class Old(Enum):
    NOW = "now"


@dataclass(frozen=True, slots=True)
class Now:
    """What was once `Then(place, number)`, and got two fields more."""

    spot: str
    number: int
    when: Old = Old.NOW
    least: int = 1
    unstored: str = ""


LATER = Encoding(
    {
        Old: Members("Elder", {Old.NOW: "THEN: 'then'"}),
        Now: Form(
            "Then",
            (
                Field("spot", "place"),
                "number",
                Field("when", "when", left_out="<Elder.THEN: 'then'>"),
                Field("least", "most", left_out="1"),
            ),
            unwritten=("unstored",),
        ),
    }
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Now("a", 3, unstored="x"), "Then(place='a', number=3)"),
        (Now("a", 3, least=2), "Then(place='a', number=3, most=2)"),
        # 1 and TRUE are equal and are told apart.
        (Now("a", 3, least=True), "Then(place='a', number=3, most=True)"),
        (Old.NOW, "<Elder.THEN: 'then'>"),
    ],
)
def test_what_is_renamed_or_has_more_fields_is_written_as_before(value: object, text: str) -> None:
    assert LATER.text(value) == text
    (found,) = LATER.items(f"({text},)")
    assert LATER.text(found) == text


def test_the_beginning_of_a_text_has_the_fields_that_are_known() -> None:
    assert LATER.beginning(Now, "a") == "Then(place='a', number="
    assert LATER.beginning(Now) == "Then(place="


@pytest.mark.parametrize(
    "text",
    [
        *("", "1", "Then(place='a', number=3)", "(Now(spot='a', number=3),)", "(Then(spot='a', number=3),)"),
        *(
            "(Then('a', 3),)",
            "(Then(place='a'),)",
            "(Then(place='a', number=3, **{}, *()),)",
            "(<Elder.NOW: 'now'>,)",
        ),
        *(
            "(Elder.THEN.value,)",
            "([1],)",
            "(-'a',)",
            "(x,)",
            "(1 + 1,)",
            "(f'{1}',)",
            "(Fraction(1, 0),)",
            "(" * 999,
        ),
    ],
)
def test_no_other_text_is_read(text: str) -> None:
    with pytest.raises(Unreadable):
        tuple(LATER.items(text))


def test_the_first_of_a_text_is_read_without_the_others() -> None:
    question = Question(Scan("t", 0), (), (Measure(Aggregate.COUNT_ROWS),))
    text = canonical((question, ()))
    assert question_of(text) == question
    assert question_of(text.replace("())", "(Nothing(),))")) == question


def modules() -> Iterator[types.ModuleType]:
    for package in ("dpsql.algebra", "dpsql.plan", "dpsql.sql"):
        here = importlib.import_module(package)
        yield here
        for found in pkgutil.walk_packages(here.__path__, f"{package}."):
            yield importlib.import_module(found.name)


def classes_of(kind: object) -> Iterator[type]:
    """The classes that a type is made of."""
    if isinstance(kind, typing.TypeVar):
        return
    if isinstance(kind, type) and not typing.get_args(kind):
        yield kind
    for part in typing.get_args(kind):
        yield from classes_of(part)


def with_subclasses(kind: type) -> Iterator[type]:
    yield kind
    for below in kind.__subclasses__():
        # A class with slots leaves another one behind, that nothing names.
        named = vars(importlib.import_module(below.__module__)).get(below.__name__) is below
        if named and below.__module__.startswith("dpsql."):
            yield from with_subclasses(below)


def reached() -> set[type]:
    """Every dataclass and every enumeration that a question, its parts or its groups can hold, derived ones too."""
    spaces = {name: value for m in modules() for name, value in vars(m).items()}
    found: set[type] = set()
    due: list[type] = [Question, *classes_of(typing.get_type_hints(Release, spaces)["parts"])]
    while due:
        kind = due.pop()
        if kind in found or not (dataclasses.is_dataclass(kind) or issubclass(kind, Enum)):
            continue
        found.add(kind)
        if dataclasses.is_dataclass(kind):
            names = [f.name for f in dataclasses.fields(kind)]
            own = vars(importlib.import_module(kind.__module__))
            hints = typing.get_type_hints(kind, {**spaces, **own})
            unwritten = RELEASES[kind].unwritten if isinstance(RELEASES.get(kind), Form) else ()
            due += chain.from_iterable(classes_of(hints[n]) for n in names if n not in unwritten)
            due += with_subclasses(kind)
    return found - NEVER_WRITTEN


def test_every_class_that_a_plan_can_hold_is_in_the_table() -> None:
    assert reached() == set(RELEASES)
    assert set(QUESTIONS) < set(RELEASES)


def test_every_field_is_written_or_marked_as_unwritten() -> None:
    for kind, form in RELEASES.items():
        if isinstance(form, Form):
            attributes = [f.attribute for f in form.fields]
            assert sorted((*attributes, *form.unwritten)) == sorted(
                f.name for f in dataclasses.fields(kind)
            ), kind


def test_every_member_has_a_text_and_every_text_is_of_one() -> None:
    for kind, form in RELEASES.items():
        if isinstance(form, Members):
            assert set(form.texts) == set(kind), kind  # type: ignore[call-overload]
            assert len(set(form.texts.values())) == len(form.texts)
    names = [form.name for form in RELEASES.values()]
    assert len(set(names)) == len(names)


def test_what_tells_values_apart_is_written() -> None:
    """A field that `==` compares and that no text holds would give two draws one key."""
    for kind, form in RELEASES.items():
        if isinstance(form, Form):
            compared = {f.name for f in dataclasses.fields(kind) if f.compare}
            assert not compared & set(form.unwritten), kind


def test_a_field_that_came_later_is_left_out_at_its_default() -> None:
    encoding = releases()
    for kind, form in RELEASES.items():
        defaults = {f.name: f.default for f in dataclasses.fields(kind)} if isinstance(form, Form) else {}
        for written in form.fields if isinstance(form, Form) else ():
            if written.left_out is not None:
                assert encoding.text(defaults[written.attribute]) == written.left_out, kind


def test_the_table_cannot_be_changed() -> None:
    assert isinstance(RELEASES, MappingProxyType) and isinstance(QUESTIONS, MappingProxyType)


def test_a_text_is_the_same_in_every_file(tmp_path: Path) -> None:
    """What is written to a ledger in UTF-8 comes back as it was, whatever characters a query has."""
    text = canonical(Literal("ü\u200b😀'\"\n", SqlType.TEXT))
    (tmp_path / "text").write_text(text, encoding="utf-8")
    assert (tmp_path / "text").read_text(encoding="utf-8") == text
