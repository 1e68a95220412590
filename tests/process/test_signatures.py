"""What does not fit the signature of a public callable is a TypeError, as for any function of Python."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import dpsql
import dpsql.shared
from dpsql.dbapi import Connection
from dpsql.errors import guarded

COUNT = "SELECT count(*) FROM visits"
# Callables of Python itself and type objects, which have no signature of ours.
NOT_OURS = {"Date", "Time", "Timestamp"}


def public_callables(connection: Connection) -> Iterator[tuple[str, Callable[..., object]]]:
    """Every function, class and method that a caller can reach by public names."""
    cursor = connection.execute(COUNT)
    for name in sorted({*dpsql.__all__} - NOT_OURS):
        if callable(found := getattr(dpsql, name)):
            yield f"dpsql.{name}", found
    yield "dpsql.shared.connect", dpsql.shared.connect
    objects = (connection, cursor, cursor.release, connection.explain(COUNT), connection.budget())
    for thing in objects:
        for name in (n for n in dir(thing) if not n.startswith("_")):
            method = getattr(thing, name)
            if inspect.ismethod(method):
                yield f"{type(thing).__name__}.{name}", method


def test_a_keyword_that_nothing_has_is_a_type_error_everywhere(connection: Connection) -> None:
    seen = []
    for name, use in public_callables(connection):
        if isinstance(use, type) and issubclass(use, BaseException) and "__init__" not in vars(use):
            continue  # Python's own constructor of exceptions
        with pytest.raises(TypeError, match=r"nonsense|keyword") as raised:
            use(nonsense=1)
        assert not isinstance(raised.value, dpsql.Error), name
        assert raised.value.__cause__ is None and raised.value.__context__ is None, name
        seen.append(name)
    assert {"dpsql.connect", "dpsql.shared.connect", "Connection.explain", "Cursor.execute"} < set(seen)
    assert {"Connection.cursor", "Cursor.fetchall", "Released.plot", "dpsql.BudgetReport"} < set(seen)


def test_arguments_that_are_missing_or_too_many_are_type_errors(connection: Connection, policy: Path) -> None:
    cursor = connection.cursor()
    uses: list[Callable[[], object]] = [
        lambda: dpsql.connect(),  # type: ignore[call-arg]
        lambda: dpsql.connect(policy),  # type: ignore[call-arg]
        lambda: dpsql.connect(policy, "alice"),  # type: ignore[misc]
        lambda: cursor.execute(),  # type: ignore[call-arg]
        lambda: cursor.execute(COUNT, None, 1),  # type: ignore[call-arg]
        lambda: cursor.fetchone(1),  # type: ignore[call-arg]
        lambda: connection.explain(),  # type: ignore[call-arg]
        lambda: connection.execute(COUNT, sql=COUNT),  # type: ignore[misc]
    ]
    for use in uses:
        with pytest.raises(TypeError, match="argument") as raised:
            use()
        assert not isinstance(raised.value, dpsql.Error)
    assert connection.budget().spent.epsilon == 0


WRONG_OPTIONS: tuple[dict[str, object], ...] = (
    {"analyst": 5}, {"analyst": b"alice"}, {"policy": 5}, {"policy": None}, {"ledger": 5}, {"epsilon": [1]},
    {"delta": b"0"}, {"rows": 1}, {"accuracy": []}, {"fresh": "yes"}, {"clipping": 2}, {"empty_conditions": 3},
    {"combine": 3},
)  # fmt: skip


@pytest.mark.parametrize("given", WRONG_OPTIONS, ids=lambda given: next(iter(given)))
@pytest.mark.parametrize("door", [dpsql.connect, dpsql.shared.connect])
def test_an_option_of_a_wrong_type_is_a_type_error_of_dpsql(
    door: Callable[..., object], given: dict[str, object], policy: Path, tmp_path: Path
) -> None:
    if door is dpsql.shared.connect and "fresh" in given:
        return
    options = {"policy": policy, "analyst": "alice", "ledger": tmp_path / "a.ledger", **given}
    with pytest.raises(dpsql.WrongType) as raised:
        door(**options)
    assert isinstance(raised.value, TypeError) and isinstance(raised.value, dpsql.InterfaceError)


def test_a_query_and_parameters_of_a_wrong_type_are_type_errors_of_dpsql(connection: Connection) -> None:
    cursor = connection.execute(COUNT)
    uses: list[Callable[[], object]] = [
        lambda: cursor.execute(5),  # type: ignore[arg-type]
        lambda: connection.explain(b"SELECT 1"),  # type: ignore[arg-type]
        lambda: connection.describe(COUNT, types=5),  # type: ignore[arg-type]
        lambda: connection.describe(COUNT, types={"a": 1}),  # type: ignore[dict-item]
        lambda: connection.execute(COUNT, 5),  # type: ignore[arg-type]
        lambda: connection.execute(COUNT, {1: 2}),  # type: ignore[dict-item]
        lambda: connection.execute(COUNT, [object()]),
        lambda: connection.execute(COUNT).fetchmany("3"),  # type: ignore[arg-type]
    ]
    for use in uses:
        with pytest.raises(dpsql.WrongType) as raised:
            use()
        assert isinstance(raised.value, TypeError) and isinstance(raised.value, dpsql.ProgrammingError)


def test_a_type_error_from_inside_is_a_failure_of_ours() -> None:
    @guarded
    def broken(value: object) -> object:
        return value + 1  # type: ignore[operator]

    @guarded
    def misled(value: object) -> object:
        return broken(value, 1)  # type: ignore[call-arg]

    for work in (broken, misled):
        with pytest.raises(dpsql.InternalError):
            work("a")
    with pytest.raises(TypeError, match="nonsense"):
        broken(nonsense=1)  # type: ignore[call-arg]
