"""Connections and cursors as PEP 249 describes them, on a scripted session."""

from __future__ import annotations

import copy
import pickle
from collections import OrderedDict
from decimal import Decimal
from fractions import Fraction

import pytest

from dpsql import errors
from dpsql.engines.base import OutputColumn
from dpsql.privacy import Cost
from dpsql.release.types import Answer, Interval95, Released

NAMES = Answer((OutputColumn("name", "VARCHAR"),), (("a",), ("b",), ("c",), ("d",)))
ONE = Answer((OutputColumn("one", "INTEGER"),), ((1,),))
EMPTY = Answer((OutputColumn("name", "VARCHAR"),), ())


def test_rows_are_given_once_in_order_by_every_fetch_method(scripted):
    con, _ = scripted(NAMES)
    cur = con.execute("q")
    assert cur.fetchone() == ("a",)
    assert cur.fetchmany(2) == [("b",), ("c",)]
    assert cur.fetchall() == [("d",)]
    assert (cur.fetchone(), cur.fetchmany(), cur.fetchall()) == (None, [], [])
    assert cur.rowcount == 4


def test_iteration_gives_the_rows_that_are_left(scripted):
    con, _ = scripted(NAMES)
    cur = con.execute("q")
    cur.fetchone()
    assert list(cur) == [("b",), ("c",), ("d",)]


def test_fetchmany_takes_arraysize_rows_unless_told(scripted):
    con, _ = scripted(NAMES)
    cur = con.execute("q")
    assert cur.arraysize == 1
    cur.arraysize = 3
    assert len(cur.fetchmany()) == 3
    assert cur.fetchmany(0) == []


@pytest.mark.parametrize("size", [0, -1, True, 1.5, "2", None])
def test_arraysize_is_a_positive_integer(scripted, size):
    con, _ = scripted()
    with pytest.raises(errors.ProgrammingError, match="at least 1"):
        con.cursor().arraysize = size


@pytest.mark.parametrize("size", [-1, True, 1.5, "2"])
def test_fetchmany_refuses_a_count_that_is_none(scripted, size):
    con, _ = scripted(NAMES)
    with pytest.raises(errors.ProgrammingError, match="at least 0"):
        con.execute("q").fetchmany(size)


def test_an_answer_without_rows_is_not_the_absence_of_an_answer(scripted):
    con, _ = scripted(EMPTY)
    cur = con.execute("q")
    assert (cur.fetchall(), cur.rowcount, len(cur.description)) == ([], 0, 1)


@pytest.mark.parametrize(
    "use",
    [
        lambda c: c.fetchone(),
        lambda c: c.fetchmany(),
        lambda c: c.fetchall(),
        lambda c: next(iter(c)),
        lambda c: c.release,
        lambda c: c.to_arrow_table(),
        lambda c: c.fetch_arrow_table(),
        lambda c: c.df(),
    ],
)
def test_without_an_answer_there_is_nothing_to_fetch(scripted, use):
    con, _ = scripted()
    cur = con.cursor()
    with pytest.raises(errors.ProgrammingError, match="execute a query first"):
        use(cur)
    assert (cur.description, cur.rowcount) == (None, -1)


@pytest.mark.parametrize(
    ("failure", "seen"),
    [
        (errors.QueryRefused("no"), errors.QueryRefused),
        (errors.QueryFailed(), errors.QueryFailed),
        (KeyError("engine"), errors.InternalError),
    ],
)
def test_a_failed_execute_leaves_no_stale_answer(scripted, failure, seen):
    con, _ = scripted(NAMES, failure)
    cur = con.execute("q")
    with pytest.raises(seen):
        cur.execute("worse")
    assert (cur.description, cur.rowcount) == (None, -1)
    with pytest.raises(errors.ProgrammingError):
        cur.fetchall()


def test_refused_parameters_leave_no_stale_answer_and_reach_no_session(scripted):
    con, session = scripted(NAMES)
    cur = con.execute("q")
    with pytest.raises(errors.ProgrammingError):
        cur.execute("q", "text")
    assert cur.rowcount == -1
    assert len(session.asked) == 1


def test_a_new_execute_starts_at_its_first_row(scripted):
    con, _ = scripted(NAMES, ONE)
    cur = con.execute("q")
    cur.fetchmany(2)
    assert cur.execute("r") is cur
    assert cur.fetchall() == [(1,)]


def test_executemany_is_refused_and_drops_the_answer(scripted):
    con, session = scripted(NAMES)
    cur = con.execute("q")
    with pytest.raises(errors.NotSupportedError, match="a query of its own"):
        cur.executemany("SELECT ?", [(1,), (2,)])
    assert cur.rowcount == -1
    assert len(session.asked) == 1


def test_a_description_has_seven_values_and_the_shape_of_decimals(scripted):
    columns = (OutputColumn("n", "BIGINT"), OutputColumn("s", "DECIMAL(38,2)"))
    con, _ = scripted(Answer(columns, ((1, Decimal("1.50")),)))
    assert con.execute("q").description == (
        ("n", "BIGINT", None, None, None, None, None),
        ("s", "DECIMAL(38,2)", None, None, 38, 2, None),
    )


def test_the_release_of_the_last_answer_is_at_hand(scripted):
    released = Released(Cost(Fraction(1, 2)), _intervals=lambda: ((Interval95(0.0, 2.0),),))
    con, _ = scripted(Answer(ONE.columns, ONE.rows, released))
    release = con.execute("q").release
    assert (release.epsilon, release.delta) == (Fraction(1, 2), 0)
    assert release.intervals == ((Interval95(0.0, 2.0),),)


@pytest.mark.parametrize(
    ("given", "passed"),
    [
        (None, None),
        ([], ()),
        ([1, None, Decimal("0.5")], (1, None, Decimal("0.5"))),
        ((True, "x"), (True, "x")),
        ({"low": 1}, {"low": 1}),
        (OrderedDict(low=1), {"low": 1}),
    ],
)
def test_parameters_reach_the_session_as_a_tuple_or_a_dict(scripted, given, passed):
    con, session = scripted(ONE)
    con.execute("q", given)
    assert session.asked == [("q", passed)]


@pytest.mark.parametrize(
    "params", ["ab", b"ab", 5, {1, 2}, iter([1]), [object()], [[[1]]], {"a": {}}, {1: 2}]
)
def test_parameters_of_another_kind_are_a_programming_error(scripted, params):
    con, session = scripted(ONE)
    with pytest.raises(errors.ProgrammingError, match="parameter"):
        con.execute("q", params)
    with pytest.raises(errors.ProgrammingError, match="parameter"):
        con.explain("q", params)
    assert session.asked == []


def test_a_parameter_error_names_the_type_and_not_the_value(scripted):
    con, _ = scripted(ONE)
    with pytest.raises(errors.ProgrammingError, match=r"parameter 2 is of type range") as caught:
        con.execute("q", [1, range(355)])
    assert "355" not in str(caught.value)


@pytest.mark.parametrize("sql", [None, b"SELECT 1", 5, ["SELECT 1"]])
def test_a_query_is_text(scripted, sql):
    con, _ = scripted(ONE)
    with pytest.raises(errors.ProgrammingError, match="a query is text"):
        con.execute(sql)


def test_explain_and_budget_come_from_the_session(scripted):
    con, session = scripted()
    assert con.explain("q", [1]).rest == "q"
    assert session.asked == [("q", (1,))]
    assert con.budget().remaining == Cost(Fraction(9))


CURSOR_USES = {
    "execute": lambda c: c.execute("q"),
    "executemany": lambda c: c.executemany("q", []),
    "fetchone": lambda c: c.fetchone(),
    "fetchmany": lambda c: c.fetchmany(),
    "fetchall": lambda c: c.fetchall(),
    "iteration": lambda c: next(iter(c)),
    "description": lambda c: c.description,
    "rowcount": lambda c: c.rowcount,
    "arraysize": lambda c: setattr(c, "arraysize", 2),
    "release": lambda c: c.release,
    "arrow": lambda c: c.to_arrow_table(),
    "old arrow": lambda c: c.fetch_arrow_table(),
    "df": lambda c: c.df(),
    "setinputsizes": lambda c: c.setinputsizes([1]),
    "setoutputsize": lambda c: c.setoutputsize(1),
    "with": lambda c: c.__enter__(),
}


@pytest.mark.parametrize("use", CURSOR_USES.values(), ids=CURSOR_USES.keys())
def test_a_closed_cursor_refuses_everything(scripted, use):
    con, _ = scripted(NAMES)
    cur = con.execute("q")
    cur.close()
    cur.close()
    with pytest.raises(errors.InterfaceError, match="the cursor is closed"):
        use(cur)


@pytest.mark.parametrize("use", CURSOR_USES.values(), ids=CURSOR_USES.keys())
def test_a_closed_connection_closes_its_cursors(scripted, use):
    con, _ = scripted(NAMES)
    cur = con.execute("q")
    con.close()
    with pytest.raises(errors.InterfaceError, match="the connection is closed"):
        use(cur)


@pytest.mark.parametrize(
    "use",
    [
        lambda c: c.cursor(),
        lambda c: c.execute("q"),
        lambda c: c.explain("q"),
        lambda c: c.budget(),
        lambda c: c.commit(),
        lambda c: c.rollback(),
        lambda c: c.__enter__(),
    ],
)
def test_a_closed_connection_refuses_everything(scripted, use):
    con, _ = scripted()
    con.close()
    with pytest.raises(errors.InterfaceError, match="the connection is closed"):
        use(con)


def test_a_session_is_closed_once(scripted):
    con, session = scripted()
    con.close()
    con.close()
    assert session.closed == 1


def test_context_managers_close_also_after_an_error(scripted):
    con, session = scripted(NAMES)
    with pytest.raises(KeyError), con, con.execute("q") as cur:
        raise KeyError
    assert session.closed == 1
    with pytest.raises(errors.InterfaceError, match="cursor is closed"):
        cur.fetchone()


def test_commit_and_rollback_do_nothing(scripted):
    con, session = scripted()
    con.commit()
    con.rollback()
    assert session.asked == []


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, pickle.dumps])
def test_connections_and_cursors_cannot_be_copied_or_pickled(scripted, duplicate):
    con, _ = scripted()
    for handle in (con, con.cursor()):
        with pytest.raises(errors.NotSupportedError, match="cannot be copied or pickled"):
            duplicate(handle)


def test_a_repr_shows_the_state_and_no_value(scripted):
    con, _ = scripted(NAMES)
    cur = con.execute("SELECT 'secret'")
    assert repr(con) == "<dpsql.Connection, open>"
    assert repr(cur) == "<dpsql.Cursor, open>"
    con.close()
    assert repr(con) == "<dpsql.Connection, closed>"
    assert repr(cur) == "<dpsql.Cursor, closed>"


def test_unknown_attributes_are_neither_found_nor_accepted(scripted):
    con, session = scripted()
    session.secret = 1
    assert not hasattr(con, "secret")
    with pytest.raises(AttributeError):
        con.autocommit = True


def test_the_error_classes_hang_on_the_connection(scripted):
    con, _ = scripted()
    for name in ("Warning", "Error", "InterfaceError", "DatabaseError", "DataError", "OperationalError",
                 "IntegrityError", "InternalError", "ProgrammingError", "NotSupportedError"):  # fmt: skip
        assert getattr(con, name) is getattr(errors, name)
