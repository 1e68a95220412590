"""Order statistics and modes in words and numbers: the rank or value that is chosen, from which cells, how exactly."""

from __future__ import annotations

from fractions import Fraction

from dpsql.algebra.facts import MICROS_PER_DAY, value_at
from dpsql.algebra.question import Aggregate
from dpsql.algebra.types import TEMPORAL, SqlType
from dpsql.mechanisms.selection.order_statistic import rank_error, score_unit
from dpsql.plan.choices.bins import starts
from dpsql.plan.types import Bins, Estimator, Modes, Ranks, Release, Target
from dpsql.release.explain.mechanisms import bounding_note, name_of, report
from dpsql.release.types import ReleaseReport

_BETA = Fraction(1, 20)


def chosen_reports(release: Release, part: Ranks | Modes) -> list[ReleaseReport]:
    """One report for each statistic of a part; the sensitivity is D_R in ranks, or in rows."""
    chosen, bounding = chosen_by(release, part), bounding_note(part.bounding)
    if isinstance(part, Modes):
        lines = [(e, part.events[0], 1, _mode_note(e, part)) for e in chosen]
    else:
        aimed = zip(chosen, part.targets, strict=True)
        lines = [
            (e, t.event, score_unit(t.level), _rank_note(t, part.bins, bool(e.values))) for e, t in aimed
        ]
    return [
        report(name_of(e), event, f"{note}; {bounding}" if bounding else note, unit=Fraction(1, unit))
        for e, event, unit, note in lines
    ]


def chosen_by(release: Release, part: Ranks | Modes) -> list[Estimator]:
    """The measures that a part chooses, in the order of its cells."""
    at, count = _first_cell(release, part), len(part.targets) if isinstance(part, Ranks) else 1
    by_cell = {e.n[0][0]: e for e in release.estimators if e.n}
    return [by_cell[at + i] for i in range(count)]


def _first_cell(release: Release, part: Ranks | Modes) -> int:
    """Where the cells of a part begin: behind those of the families and of the parts before it."""
    at = sum(len(f.cells) for f in release.families)
    for other in release.parts:
        if other is part:
            break
        at += len(other.targets) if isinstance(other, Ranks) else isinstance(other, Modes)
    return at


def _rank_note(target: Target, bins: Bins, texts: bool) -> str:
    cells = len(starts(bins)) - 1
    error = rank_error(
        _BETA, q=target.level, cells=cells, epsilon=target.epsilon, score_range=target.score_range
    )
    among = "the listed values" if texts else _cells(bins, cells)
    return (
        f"{_aim(target)} is chosen privately in each group among {among}; off by at most "
        f"{float(error):.4g} ranks with 95 % confidence{own_cell(bins)}, mostly by far less; NULL where too few values "
        "tell"
    )


def _aim(target: Target) -> str:
    if 0 < target.level < 1:
        return f"rank q n for q = {float(target.level):g}"
    end = "least" if target.level == 0 else "greatest"
    t = target.inside
    if t == 1:
        return f"the {end} value"
    return f"number {t} from the {end} value (of fewer than {2 * t} values the median)"


def own_cell(bins: Bins) -> str:
    """Which values no rank counts: those in the cell that an answer is the middle of, where that has several."""
    alone = len(starts(bins)) - 1 > bins.grid.width
    return "" if alone else ", values in its own cell not counted"


def _cells(bins: Bins, count: int) -> str:
    on, kind = bins.grid, bins.grid.arg.type
    lo, hi = (value_at(on.step * n, kind) for n in (on.lo, on.hi))
    return f"{count} cells from {lo} to {hi}, {cell_widths(bins)}"


def cell_widths(bins: Bins) -> str:
    """How wide the cells are."""
    on, kind = bins.grid, bins.grid.arg.type
    if bins.bits is not None:
        return f"{1 << (bins.bits - 1)} cells of equal width to each doubling"
    if kind in TEMPORAL:
        days = Fraction(bins.width, 1 if kind is SqlType.DATE else MICROS_PER_DAY)
        return "a day each" if days == 1 else f"{float(days):.4g} days each"
    return f"{float(on.step * bins.width):g} wide"


def _mode_note(e: Estimator, part: Modes) -> str:
    first, count = part.values[0], len(part.values) - 1
    if e.measure.aggregate is Aggregate.MODE:
        return f"one of {count} values is chosen privately in each group by its count; NULL where none stands out"
    what = "true" if e.measure.aggregate is Aggregate.BOOL_OR else "false"
    return (
        f"chosen privately in each group by how many rows are {what}: {str(first).lower()} where none is, with "
        "95 % confidence, and where they are few"
    )
