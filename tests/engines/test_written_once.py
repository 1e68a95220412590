"""What several parts of a plan read is derived and written once: planning a query is done while an analyst waits."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import patch

import pytest

from dpsql.algebra.catalog import ByIdentity
from dpsql.algebra.shape import shape
from dpsql.audit.sensitivity import opened
from dpsql.engines.sqlgen import grouped_terms
from dpsql.engines.sqlgen.relation import Rows, written_around
from dpsql.policy.model import ClippingMode
from dpsql.sql.split import cut
from dpsql.stages.prepare import prepare
from engines.opened import clinic

AVERAGES = "SELECT ward, AVG(cost), SUM(cost * cost), COUNT(*) FROM visits WHERE doctor > 1 GROUP BY ward"
SIGNED = "SELECT ward, SUM(cost - 250), COUNT(*), COUNT(DISTINCT patient) FROM visits WHERE doctor > 1 GROUP BY ward"


@pytest.mark.parametrize(("question", "texts"), [(AVERAGES, 6), (SIGNED, 1)])
def test_what_units_add_is_written_once_for_all_parts_that_read_it(
    tmp_path: Path, question: str, texts: int
) -> None:
    """Sums of all rows, and twice those of large units and sizes: of all units, and of those that own most, with how
    large others can be; or vectors, where sizes are no sums over rows."""
    with (
        opened(clinic(tmp_path, "inline"), ClippingMode.PRIVATE) as state,
        patch.object(grouped_terms, "_written", wraps=grouped_terms._written) as written,
    ):
        (queries,) = prepare(question, None, state).queries
    assert len(queries) >= 4 and written.call_count == texts
    assert len({query.lists for query in queries}) == 1


def test_sides_that_differ_in_their_rows_are_written_once(tmp_path: Path) -> None:
    with (
        opened(clinic(tmp_path, "inline")) as state,
        patch.object(grouped_terms, "aggregated", wraps=grouped_terms.aggregated) as written,
    ):
        (queries,) = prepare("SELECT ward, COUNT(*) FROM visits GROUP BY ward", None, state).queries
    assert queries[0].sql.count("UNION ALL") > written.call_count


def test_rows_are_put_where_they_were_written_around() -> None:
    around = written_around(lambda rows: f"FROM ({rows.sql}) AS s0")
    assert [around(rows) for rows in ("a", "b")] == ["FROM (a) AS s0", "FROM (b) AS s0"]


@pytest.mark.parametrize("times", [0, 2])
def test_rows_that_stand_in_a_text_more_than_once_or_not_at_all_are_refused(times: int) -> None:
    def write(rows: Rows) -> str:
        return f"FROM {rows.sql * times}"

    with pytest.raises(ValueError, match="unpack"):
        written_around(write)


def test_the_owner_of_rows_is_found_once(tmp_path: Path) -> None:
    with (
        opened(clinic(tmp_path, "inline")) as state,
        patch.object(cut, "owner_of", wraps=cut.owner_of) as found,
    ):
        prepare("SELECT COUNT(*) FROM (SELECT ward, cost FROM visits WHERE cost > 3) AS v", None, state)
    assert found.call_count == len({id(call.args[0]) for call in found.call_args_list})


def test_facts_of_a_relation_are_derived_once(tmp_path: Path) -> None:
    with opened(clinic(tmp_path, "inline")) as state:
        (question,) = prepare("SELECT COUNT(*) FROM visits", None, state).cut.questions
        shaped = shape(question.relation, state.context.catalog)
    assert shaped.facts() is shaped.facts() and shaped.base_facts() is shaped.base_facts()


def test_what_is_kept_of_an_object_is_of_that_object_alone() -> None:
    kept: ByIdentity[str] = ByIdentity()
    one, other = [1, 2], [1, 2]
    assert [
        kept.made(one, lambda: "one"),
        kept.made(other, lambda: "other"),
        kept.made(one, lambda: "again"),
    ] == [
        "one",
        "other",
        "one",
    ]
