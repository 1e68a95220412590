"""In a notebook an answer is a table with its intervals, a plot, and a budget a bar; nothing else is shown."""

from __future__ import annotations

import copy
import html
import pickle
import re
from collections.abc import Iterator
from datetime import datetime
from fractions import Fraction
from pathlib import Path

import pytest

import dpsql
from dpsql import shared
from dpsql.engines.base import OutputColumn
from dpsql.privacy import Cost
from dpsql.release.types import Answer, Explanation, PartReport, Released

GROUPED = "SELECT region, COUNT(*) AS n, SUM(amount) AS total FROM orders GROUP BY region ORDER BY region"
PRIVATE_KEYS = "SELECT product, COUNT(*) AS n FROM orders GROUP BY product"


@pytest.fixture(name="connection")
def _connection(shop: Path, tmp_path: Path) -> Iterator[dpsql.Connection]:
    with shared.connect(shop / "shop.yaml", analyst="alice", ledger=tmp_path / "test.ledger") as connection:
        yield connection


def texts(page: str) -> list[str]:
    """What a reader of the page reads."""
    return [html.unescape(t).strip() for t in re.split(r"<[^>]*>", page) if t.strip()]


def numbers(text: str) -> list[float]:
    return [float(n) for n in re.findall(r"-?[\d.]+", text.replace(",", ""))]


def test_an_answer_is_a_table_with_its_intervals_in_brackets(connection: dpsql.Connection) -> None:
    cursor = connection.execute(GROUPED)
    read = texts(cursor._repr_html_() or "")
    assert read[:3] == ["region", "n", "total"]
    rows, intervals = cursor.fetchall(), cursor.release.intervals
    for at, (row, around) in enumerate(zip(rows, intervals, strict=True)):
        region, n, between, total, _ = read[3 + 5 * at : 8 + 5 * at]
        assert (region, numbers(n)) == (row[0], [row[1]]) and numbers(total) == pytest.approx(
            [row[2]], rel=1e-4
        )
        assert numbers(between.strip("[]").replace(", ", " ")) == pytest.approx(
            [around[1].low, around[1].high],
            rel=1e-4,  # type: ignore[union-attr]
        )
    assert read[-3:] == ["95 % intervals in brackets; charged epsilon 1", *cursor.release.bias]
    assert read[-2] == "COUNT(*), SUM(amount): at most 100 rows of a person are counted"
    assert "charged epsilon 0" in (connection.execute(GROUPED)._repr_html_() or "")


def test_names_and_values_are_escaped(connection: dpsql.Connection) -> None:
    cursor = connection.execute("SELECT '<script>' AS \"<b>x</b>\", region FROM regions LIMIT 1")
    page = cursor._repr_html_() or ""
    assert "<script>" not in page and "<b>" not in page
    assert texts(page)[:3] == ["<b>x</b>", "region", "<script>"]


@pytest.mark.parametrize("count", ["COUNT(*)", "COUNT(DISTINCT customer)"])
def test_groups_withheld_are_named_in_a_note_and_their_number_is_not(
    connection: dpsql.Connection, count: str
) -> None:
    cursor = connection.execute(PRIVATE_KEYS.replace("COUNT(*)", count))
    (note,) = [n for n in cursor.release.bias if "withheld" in n]
    assert note.endswith("which they are, and how many, is private")
    assert note in texts(cursor._repr_html_() or "")
    assert "withheld" not in (connection.execute(GROUPED)._repr_html_() or "")


def test_fetching_does_not_change_what_is_shown_and_a_closed_cursor_shows_nothing(
    connection: dpsql.Connection,
) -> None:
    cursor = connection.execute(GROUPED)
    page = cursor._repr_html_()
    cursor.fetchall()
    assert cursor._repr_html_() == page
    cursor.close()
    assert cursor._repr_html_() is None and connection.cursor()._repr_html_() is None


def test_a_long_answer_is_cut_off_with_the_number_of_rows_left(connection: dpsql.Connection) -> None:
    cursor = connection.execute(
        "SELECT a.region FROM regions a, regions b, regions c, regions d, regions e"
    )  # fmt: skip
    page = cursor._repr_html_() or ""
    assert page.count("<tr>") == 201 and f"{4**5 - 200} more rows" in texts(page)


def test_a_plot_has_a_bar_and_its_95_percent_interval_for_each_group(connection: dpsql.Connection) -> None:
    pytest.importorskip("altair")
    release = connection.execute(GROUPED).release
    rows = connection.execute(GROUPED).fetchall()
    spec = release.plot().to_dict()
    assert [p["layer"][0]["encoding"]["y"]["title"] for p in spec["vconcat"]] == ["n", "total"]
    for column, panel in enumerate(spec["vconcat"], 1):
        assert [layer["mark"]["type"] for layer in panel["layer"]] == ["bar", "errorbar"]
        values = panel.get("data", panel["layer"][0].get("data"))["values"]
        assert [v["group"] for v in values] == [row[0] for row in rows]
        assert [v["value"] for v in values] == [row[column] for row in rows]
        found = [(v["low"], v["high"]) for v in values]
        assert found == [(i[column].low, i[column].high) for i in release.intervals]  # type: ignore[union-attr]
    assert set(values[0]) == {"group", "value", "low", "high"}
    assert spec["title"]["text"] == list(release.bias)


ESTIMATED = (((1234,),), lambda: ((dpsql.Interval95(1178, 1290, dpsql.Span(1178, 1350)),),))
NOTE = "COUNT(*): about 20 (±8) of 1,010 people count with less than they have <so it is>"


def estimated() -> Released:
    """What a limit that was found for the query has released."""
    rows, intervals = ESTIMATED
    explained = Explanation(Fraction(1), Fraction(0), (), "", ("another note",), bias=(NOTE,))
    return Released(Cost(Fraction(1)), lambda: explained, intervals, ((OutputColumn("n", "BIGINT"),), rows))


def test_an_estimate_and_what_it_is_stand_in_the_page() -> None:
    report = estimated()
    read = texts(Answer(report._shown[0], report._shown[1], report)._repr_html_())
    assert read[1:3] == ["1234", "[1,178, 1,290] to 1,350"]
    assert read[-2].startswith("to: an estimate") and "not one of 95 %" in read[-2]
    assert read[-1] == NOTE and "another note" not in read


def test_an_estimate_is_a_dashed_line_in_the_plot() -> None:
    pytest.importorskip("altair")
    spec = estimated().plot().to_dict()
    (panel,) = spec["vconcat"]
    assert [layer["mark"]["type"] for layer in panel["layer"]] == ["bar", "errorbar", "rule"]
    assert panel["layer"][2]["encoding"]["y2"]["field"] == "estimate"
    (bar,) = next(found for found in (spec.get("data"), panel.get("data")) if found)["values"]
    assert (bar["value"], bar["low"], bar["high"], bar["estimate"]) == (1234, 1178, 1290, 1350)
    below = " ".join(spec["title"]["text"])
    assert below.startswith("dashed: an estimate") and below.endswith(NOTE)


def test_a_plot_says_that_groups_were_withheld(connection: dpsql.Connection) -> None:
    pytest.importorskip("altair")
    sql = "SELECT product, COUNT(*) AS n FROM orders WHERE quantity > 1 GROUP BY product"
    for attempt in range(40):  # the groups of so few people are rarely kept
        release = connection.execute(sql.replace("> 1", f"< {11 + attempt}")).release
        if release.intervals:
            assert "people are withheld" in " ".join(release.plot().to_dict()["title"]["text"])
            return


def test_an_answer_without_noise_has_nothing_to_plot(connection: dpsql.Connection) -> None:
    pytest.importorskip("altair")
    with pytest.raises(dpsql.NotSupportedError, match="nothing to plot"):
        connection.execute("SELECT region FROM regions").release.plot()


def test_a_copied_release_can_be_plotted(connection: dpsql.Connection) -> None:
    pytest.importorskip("altair")
    release = connection.execute(GROUPED).release
    for duplicate in (copy.copy(release), pickle.loads(pickle.dumps(release))):
        assert duplicate.plot().to_dict()["vconcat"] == release.plot().to_dict()["vconcat"]


def test_a_budget_is_a_bar_with_the_number_of_queries_like_the_last(connection: dpsql.Connection) -> None:
    assert texts(connection.budget()._repr_html_()) == ["epsilon 1,000 of 1,000 left"]
    connection.execute(GROUPED)
    assert connection.budget().queries_left == 999
    page = connection.budget()._repr_html_()
    assert texts(page) == ["epsilon 999 of 1,000 left: about 999 more queries like the last"]
    assert "width: 0.1%" in page
    connection.execute(GROUPED)
    assert connection.budget().queries_left == 999


def test_a_budget_of_nothing_is_a_full_bar() -> None:
    nothing = Cost(Fraction(0))
    assert "width: 100.0%" in dpsql.BudgetReport(nothing, nothing, nothing)._repr_html_()


def test_printed_amounts_have_six_digits_and_notes_their_lines(connection: dpsql.Connection) -> None:
    release = connection.execute(GROUPED).release
    assert str(release).splitlines() == [
        f"charged epsilon {float(release.epsilon):g}, delta 0",
        *(f"note: {note}" for note in release.notes),
    ]
    assert str(connection.budget()).splitlines() == [
        "granted: epsilon 1000, delta 0.001",
        "spent: epsilon 1, delta 0",
        "left: epsilon 999, delta 0.001",
        "about 999 more queries like the last one fit",
    ]
    assert str(Cost(Fraction(739596211688147, 17584192301302), Fraction(19, 80_000_000))) == (
        "epsilon 42.0603, delta 2.375e-07"
    )


def test_a_printed_budget_has_its_parts_and_when_it_begins_anew() -> None:
    third = Cost(Fraction(1, 3))
    parts = tuple(PartReport(part, third, third) for part in ("DE", "", None))
    report = dpsql.BudgetReport(third, third, third, datetime(2026, 3, 1), None, parts)
    assert str(report).splitlines()[3:] == [
        "left for DE: epsilon 0.333333, delta 0",
        "left for '': epsilon 0.333333, delta 0",
        "left for NULL or not listed: epsilon 0.333333, delta 0",
        "it begins anew at 2026-03-01 00:00 UTC",
    ]
