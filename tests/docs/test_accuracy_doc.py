"""docs/accuracy.md says what is so: its policy loads, its queries run and show what they are said to show."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from pages import fenced, opened, text_of

from dpsql.session import Session

TEXT = text_of("accuracy.md")
CHOSEN, EXPLAINED, PEOPLE, SHARED, SURE, LIMITED, FOUND, ACCURATE = fenced(TEXT, "sql")
DATA = """
CREATE TABLE visits AS SELECT range // 2 AS person, ['north', 'south'][1 + range % 2] AS ward,
    (range % 200)::DOUBLE AS cost FROM range(4000)"""


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    with opened(TEXT, "visits.duckdb", DATA, tmp_path_factory.mktemp("accuracy")) as session:
        yield session


def test_a_found_limit_costs_what_was_asked_and_is_told(session: Session) -> None:
    answer = session.answer(CHOSEN)
    assert answer.released.epsilon == 2
    assert sum("count with less than they have" in note for note in answer.released.notes) == 1
    notes = [c.note for c in session.explain(CHOSEN).columns if c.half_width]
    assert len(notes) == 2 and all(note.startswith("at most") for note in notes)


def test_explain_has_a_row_for_every_column_of_the_answer(session: Session) -> None:
    errors = {str(row[0]): row[6:8] for row in session.answer(EXPLAINED).rows}
    n, twice = errors["column n"][0], errors["column twice"][0]
    assert isinstance(n, float) and n > 0
    assert twice == pytest.approx(2 * n)
    assert errors["column every"][0] == pytest.approx(n * 2**0.5, rel=0.15)  # the sum over two wards
    assert errors["column ward"] == (0.0, "exact")
    assert re.fullmatch(r"about ±[\d.,]+ / n for a group of n values", str(errors["column mean"][1]))


def test_people_and_values_have_noise_for_the_groups_and_values_that_there_are(session: Session) -> None:
    found = {r.output: r.sensitivity for r in session.explain(PEOPLE.removeprefix("EXPLAIN ")).releases}
    assert found == {"COUNT(DISTINCT person)": 2, "COUNT(DISTINCT ward)": 4}


def test_the_ends_of_an_interval_surround_the_answer(session: Session) -> None:
    answer = session.answer(SURE)
    assert [row[0] for row in answer.rows] == ["north", "south"]
    for _, mean, low, high in answer.rows:
        assert low < mean < high  # type: ignore[operator]
        assert high - low < 20  # type: ignore[operator]


def test_a_share_comes_with_its_interval(session: Session) -> None:
    answer = session.answer(SHARED)
    for (_, share), (_, sure) in zip(answer.rows, answer.released.intervals, strict=True):
        assert sure is not None
        assert sure.low < share < sure.high  # type: ignore[operator]


def test_the_limits_of_an_answer_are_said_as_the_page_says(session: Session) -> None:
    said = [row.replace("\\*", "*") for row in re.findall(r"^\| [^|]+ \| (.+) \|$", TEXT, flags=re.MULTILINE)]
    notes = session.answer(LIMITED).released.bias
    assert notes == tuple(s for s in said if "at most 4 rows" in s or "nearer" in s)


def test_a_limit_that_is_found_says_whom_it_makes_smaller_and_gives_counts_an_estimate(
    session: Session,
) -> None:
    released = session.answer(FOUND).released
    expected = (
        r"COUNT\(\*\), AVG\(cost\): (at most )?about [\d,]+ \(±\d+\) of [\d,]+ people count with less .*"
    )
    told = re.fullmatch(expected, released.bias[0])
    assert told is not None
    for _, count, mean in released.intervals:
        assert count is not None
        assert mean is None or mean.total is None  # by chance there is so much noise that it has none
        # By chance the limit is the largest that can be found, above which nobody knows how many there are.
        assert (count.total is None) == (told[1] is not None)
        if count.total is not None:
            assert count.noise.low == count.total.low and count.total.high >= count.noise.high


def test_an_accuracy_costs_less_than_the_most_and_is_kept(session: Session) -> None:
    plan = session.explain(ACCURATE)
    (column,) = plan.columns
    assert plan.epsilon < 2
    assert column.half_width is not None and 20 < column.half_width <= 25
