"""Dataclasses of `dpsql.slotted` behave as those of the standard library."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import types
from collections.abc import Callable
from dataclasses import FrozenInstanceError, field
from typing import Any, Generic, TypeVar

import pytest

from dpsql import slotted
from dpsql.slotted import dataclass

T = TypeVar("T")
OPTIONS = [
    {"frozen": True, "slots": True},
    {"frozen": True, "slots": True, "eq": False},
    {"frozen": True, "slots": True, "repr": False},
    {"slots": True},
    {"slots": True, "eq": False, "repr": False},
]
Make = Callable[..., Callable[[type], type]]


def classes(make: Make, **options: bool) -> types.SimpleNamespace:
    """The same classes, made by either of both."""

    @make(**options)
    class Point:
        x: int
        y: int = 2
        tags: list[str] = field(default_factory=list, compare=False)
        seen: int = field(init=False, default=7, repr=False)
        total: int = field(init=False, hash=False)

        def __post_init__(self) -> None:
            object.__setattr__(self, "total", self.x + self.y)

        def moved(self) -> object:
            return dataclasses.replace(self, x=self.x + 1)

    @make(**options)
    class Labelled(Point):
        """With a parent, and a parameter that replaces one of its own."""

        y: int = 5
        label: str | None = None

    @make(**options)
    class Empty:
        pass

    @make(**options)
    class Own(Generic[T]):
        value: T

        def __repr__(self) -> str:
            return "own"

        def __hash__(self) -> int:
            return 3

    @make(**options)
    class Holder:
        inside: Any = None

    return types.SimpleNamespace(Point=Point, Labelled=Labelled, Empty=Empty, Own=Own, Holder=Holder)


def outcome(work: Callable[[], object]) -> object:
    try:
        return work()
    except Exception as error:
        return type(error)


def shown(value: object) -> str:
    return repr(value) if type(value).__repr__ is not object.__repr__ else type(value).__name__


WORK: dict[str, Callable[[types.SimpleNamespace], object]] = {
    "defaults": lambda c: shown(c.Point(1)),
    "by name": lambda c: shown(c.Point(y=3, x=4, tags=["a"])),
    "a list each": lambda c: c.Point(1).tags is c.Point(1).tags,
    "too few": lambda c: c.Point(),
    "too many": lambda c: c.Point(1, 2, [], 7),
    "an unknown name": lambda c: c.Point(1, z=3),
    "set by __post_init__": lambda c: (c.Point(1).total, c.Point(1).seen),
    "a parent": lambda c: shown(c.Labelled(1, label="b")),
    "equal": lambda c: c.Point(1, 2) == c.Point(1, 2),
    "not equal": lambda c: (c.Point(1) == c.Point(2), c.Point(1) != c.Point(2)),
    "not compared": lambda c: c.Point(1, 2, ["a"]) == c.Point(1, 2, ["b"]),
    "another class": lambda c: c.Point(1, 5) == c.Labelled(1, 5),
    "another type": lambda c: c.Point(1) == 1,
    "hash": lambda c: len({c.Point(1, 2), c.Point(1, 2)}),
    "not hashed": lambda c: len({*map(hash, [c.Point(1), _with_total(c.Point(1), 9)])}),
    "hashed apart": lambda c: len({c.Empty(), c.Empty()}),
    "hash of one field": lambda c: len({c.Holder(1), c.Holder(1), c.Holder(2)}),
    "hash of a list": lambda c: isinstance(hash(c.Holder([])), int),
    "no number is itself": lambda c: c.Holder(float("nan")) == c.Holder(float("nan")),
    "set": lambda c: setattr(c.Point(1), "x", 2),
    "delete": lambda c: delattr(c.Point(1), "x"),
    "own methods": lambda c: (repr(c.Own(1)), c.Own.__hash__(c.Own(1)), c.Own(1) == c.Own(1)),
    "recursive": lambda c: shown(_recursive(c)),
    "replaced": lambda c: (shown(c.Point(1).moved()), shown(c.Labelled(1).moved())),
    "replaced wrongly": lambda c: dataclasses.replace(c.Point(1), seen=3),
    "as a dict": lambda c: dataclasses.asdict(c.Labelled(1, tags=["a"])),
    "fields": lambda c: [(f.name, f.type, f.init, f.compare) for f in dataclasses.fields(c.Labelled)],
    "matched": lambda c: c.Labelled.__match_args__,
    "slots": lambda c: (c.Point.__slots__, c.Labelled.__slots__),
    "no dict": lambda c: vars(c.Point(1)),
    "copied": lambda c: shown(copy.copy(c.Point(1, 2, ["a"]))),
    "copied deeply": lambda c: shown(copy.deepcopy(c.Point(1, 2, ["a"]))),
    "documentation": lambda c: (c.Labelled.__doc__, c.Point.__qualname__, c.Point.__module__),
    "an abstract method called by a child": lambda c: c.Labelled.__init__(object.__new__(c.Labelled), 1),
}


def _with_total(point: object, total: int) -> object:
    object.__setattr__(point, "total", total)
    return point


def _recursive(made: types.SimpleNamespace) -> object:
    held: list[object] = []
    held.append(made.Holder(held))
    return held[0]


@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: ",".join(options))
@pytest.mark.parametrize("work", WORK.values(), ids=WORK)
def test_a_class_behaves_as_that_of_the_standard_library(
    work: Callable[[types.SimpleNamespace], object], options: dict[str, bool]
) -> None:
    expected, found = classes(dataclasses.dataclass, **options), classes(dataclass, **options)
    assert outcome(lambda: work(found)) == outcome(lambda: work(expected))
    assert outcome(lambda: work(found)) == outcome(lambda: work(expected)), (
        "the second time, once it is compiled"
    )


@dataclass(frozen=True, slots=True)
class Pair:
    """A class that pickle finds by its name."""

    left: int
    right: list[int] = field(default_factory=list)


def test_an_instance_outlives_a_process() -> None:
    assert pickle.loads(pickle.dumps(Pair(1, [2]))) == Pair(1, [2])


def test_a_frozen_instance_says_which_field_it_refuses() -> None:
    with pytest.raises(FrozenInstanceError, match="left"):
        Pair(1).left = 2  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError, match="right"):
        del Pair(1).right  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError, match="middle"):
        setattr(Pair(1), "middle", 2)  # noqa: B010


def test_the_parameters_are_those_of_the_fields_once_an_instance_is_made() -> None:
    Pair(1)
    assert [*inspect.signature(Pair).parameters] == ["left", "right"]


def test_fields_are_compared_as_tuples_are_in_every_version_of_python() -> None:
    nan = float("nan")
    assert Pair(1, [nan]) == Pair(1, [nan]) and Pair(nan) == Pair(nan)  # type: ignore[arg-type]
    assert Pair(float("nan")) != Pair(float("nan"))  # type: ignore[arg-type]


def test_a_class_without_slots_is_refused() -> None:
    with pytest.raises(TypeError, match="without slots"):
        dataclass(slots=False)


def test_what_is_compiled_is_compiled_with_the_first_instance_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str] = []

    def noted(text: str, names: dict[str, object]) -> None:
        compiled.append(text)
        exec(text, names)

    monkeypatch.setattr(slotted, "exec", noted, raising=False)
    made = classes(dataclass, frozen=True, slots=True)
    assert not compiled
    assert made.Point(1) == made.Point(1) and len(compiled) == 1
