"""Global sensitivities, against every pair of neighbours over small domains."""

import itertools
import math
from collections.abc import Callable, Iterator
from fractions import Fraction

import pytest

from dpsql.mechanisms.analysis.global_sensitivity import Sensitivity, count, histogram, mean, total
from dpsql.privacy import Neighbours

Person = tuple[int, ...]
Database = tuple[Person, ...]
Query = Callable[[Database], tuple[Fraction, ...]]


def pairs(values: range, rows: int, relation: str) -> Iterator[tuple[Database, Database]]:
    """All neighbours of up to three people who own that many rows each."""
    people = list(itertools.product(values, repeat=rows))
    others = [(), *((p,) for p in people[:2]), tuple(people[-2:])]
    for rest in others:
        if relation == "add_remove":
            yield from (((*rest, p), rest) for p in people)
        else:
            yield from (((*rest, p), (*rest, q)) for p, q in itertools.product(people, repeat=2))


def measured(query: Query, values: range, rows: int, relation: str) -> Sensitivity:
    l1 = l2 = Fraction(0)
    for x, y in pairs(values, rows, relation):
        changes = [abs(a - b) for a, b in zip(query(x), query(y), strict=True)]
        l1, l2 = max(l1, sum(changes, Fraction(0))), max(l2, sum((c * c for c in changes), Fraction(0)))
    return Sensitivity(l1, l2)


def every_row(database: Database) -> list[int]:
    return [value for person in database for value in person]


RELATIONS = ["add_remove", "substitute"]


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("rows", [1, 2, 3])
def test_a_count_moves_by_the_rows_of_a_person(relation: str, rows: int) -> None:
    found = measured(lambda x: (Fraction(sum(v > 0 for v in every_row(x))),), range(2), rows, relation)
    assert found == count(relation, rows=rows) == Sensitivity(Fraction(rows), Fraction(rows**2))


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("rows", [1, 2])
@pytest.mark.parametrize(("lower", "upper"), [(0, 3), (-2, 1), (2, 4), (-3, -1), (5, 5)])
def test_a_sum_moves_by_the_end_or_the_width_of_its_interval(
    relation: str, rows: int, lower: int, upper: int
) -> None:
    values = range(lower, upper + 1)
    found = measured(lambda x: (Fraction(sum(every_row(x))),), values, rows, relation)
    assert found == total(lower, upper, relation, rows=rows)
    width = upper - lower if relation == "substitute" else max(abs(lower), abs(upper))
    assert found.l1 == rows * width


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize(("lower", "upper"), [(0, 3), (2, 4), (-3, -1)])
def test_a_mean_moves_by_that_of_the_sum_over_the_public_number(
    relation: str, lower: int, upper: int
) -> None:
    n = 7
    found = measured(lambda x: (Fraction(sum(every_row(x)), n),), range(lower, upper + 1), 1, relation)
    assert found == mean(lower, upper, n, relation)
    assert mean(lower, upper, n, "substitute").l1 == Fraction(upper - lower, n)


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("rows", [1, 2])
def test_a_histogram_moves_in_one_cell_or_in_two(relation: str, rows: int) -> None:
    def cells(x: Database) -> tuple[Fraction, ...]:
        return tuple(Fraction(every_row(x).count(value)) for value in range(3))

    assert measured(cells, range(3), rows, relation) == histogram(relation, rows=rows)


def test_the_textbook_numbers_of_a_histogram() -> None:
    one, two = histogram("add_remove"), histogram(Neighbours.SUBSTITUTE)
    assert (one.l1, one.l2) == (1, 1)
    assert (two.l1, two.l2_squared, two.l2) == (2, 2, pytest.approx(math.sqrt(2)))


USES: list[Callable[[object], object]] = [
    lambda r: count(r),
    lambda r: total(0, 1, r),
    lambda r: mean(0, 1, 5, r),
    lambda r: histogram(r),
]


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("relation", ["bounded", "", None, True, 1])
def test_an_unknown_relation_is_refused(use: Callable[[object], object], relation: object) -> None:
    with pytest.raises(ValueError, match="must be add_remove or substitute"):
        use(relation)


@pytest.mark.parametrize("bad", [0.5, float("nan"), float("inf"), True, "1", None])
def test_bounds_and_numbers_must_be_exact(bad: object) -> None:
    for use in (lambda: total(bad, 1, "substitute"), lambda: total(0, bad, "substitute")):
        with pytest.raises(TypeError, match="must be an exact int or Fraction"):
            use()
    for use in (lambda: mean(0, 1, bad, "substitute"), lambda: histogram("substitute", rows=bad)):
        with pytest.raises(TypeError, match="must be an integer"):
            use()


def test_bounds_and_numbers_must_be_in_range() -> None:
    with pytest.raises(ValueError, match=r"lower \(2\) must not be above upper \(1\)"):
        total(2, 1, "substitute")
    for use in (lambda: mean(0, 1, 0, "substitute"), lambda: count("substitute", rows=0)):
        with pytest.raises(ValueError, match="must be at least 1"):
            use()
