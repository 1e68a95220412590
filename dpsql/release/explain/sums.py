"""Noisy sums in words and numbers: what each measure is made of, at which levels, with which noise and error.

Why a release moves as far as it does is said in plain words. A family's `because` is part of stored keys, so that its
text stays as it was once written; here it is said anew.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from dpsql.algebra.question import MOMENTS
from dpsql.plan.rollup.fitted_sums import FittedSums
from dpsql.plan.rollup.grouping_set_sums import GroupingSetSums
from dpsql.plan.types import Estimator, Family, Plan, Release, Sums
from dpsql.privacy import Mechanism
from dpsql.release.estimate.rollup import level_name, rolled_up
from dpsql.release.explain.mechanisms import bounding_note, name_of
from dpsql.release.plain_numbers import four_digits
from dpsql.release.types import ReleaseReport
from dpsql.release.uncertainty.intervals import half_width
from dpsql.release.uncertainty.total_intervals import families_of
from dpsql.sql.public.rollup_levels import Level


def sums_reports(release: Release, part: Sums) -> list[ReleaseReport]:
    """One report for each measure that the part's families answer, at each grouping set that is released."""
    if isinstance(part, FittedSums):
        return list(_of_fitted(release, part))
    return list(
        _of_grouping_sets(release, part) if isinstance(part, GroupingSetSums) else _sums(release, part)
    )


def _of_fitted(release: Release, part: FittedSums) -> Iterator[ReleaseReport]:
    """The noise is that of the draw; the error is that of what is shown, after it is fitted."""
    alone = {p: Sums(p.bounding, p.families) if isinstance(p, FittedSums) else p for p in release.parts}
    drawn = replace(release, parts=tuple(alone[p] for p in release.parts))
    errors = {name_of(e): half_width(e, release) for e in release.estimators}
    for r in _sums(drawn, Sums(part.bounding, part.families)):
        yield replace(r, expected_error=errors[r.output])


def _of_grouping_sets(release: Release, part: GroupingSetSums) -> Iterator[ReleaseReport]:
    """The error of each grouping set is that of what is shown, after all of them are reconciled."""
    unit = "1 / variance" if part.gaussian else "epsilon"
    for level, families in part.released:
        kept = tuple(sorted(i for a in level.axes for i in part.axes[a].places))
        alone = Sums(part.bounding, families)
        at_level = replace(release, parts=tuple(alone if p is part else p for p in release.parts))
        shown = rolled_up(release, kept)
        errors = {name_of(e): half_width(e, shown) for e in shown.estimators}
        share = f"{float(level.share):.3g} of the {unit}, and all {len(part.shares)} levels reconciled by least squares"
        for r in _sums(at_level, alone):
            output, note = f"{r.output}, {level_name(shown)}", f"{share}; {r.note}"
            yield replace(r, output=output, expected_error=errors[r.output], note=note)


def _sums(release: Release, part: Sums) -> Iterator[ReleaseReport]:
    """Families are told apart by their place."""
    first = release.families.index(part.families[0])
    mine = range(first, first + len(part.families))
    used = families_of(release)
    sharing = Counter(k for places in used for k in places)
    for e, places in zip(release.estimators, used, strict=True):
        own = next((k for k in places if k in mine), None)
        if own is not None:
            yield _estimator(e, release, part, part.families[own - first], sharing[own])


def _estimator(e: Estimator, release: Release, part: Sums, family: Family, sharing: int) -> ReleaseReport:
    """`scale` is the standard deviation of Gaussian noise, and of any other the scale of its law."""
    unit = _unit(e) * _width(e, release, family)
    notes = [plain_reason(family.because), *_law(family, part), bounding_note(part.bounding)]
    if sharing > 1:
        notes.append(f"{sharing} measures share this noise")
    width = half_width(e, release)
    if width is None:
        notes.append("a quotient: its error falls as its group grows")
    scale = math.sqrt(family.variance) if family.variance is not None else family.sensitivity / family.epsilon
    numbers = (family.sensitivity * unit, float(scale) * unit, family.epsilon, family.delta)
    return ReleaseReport(
        name_of(e), family.mechanism.value, *numbers, "", width, "; ".join(n for n in notes if n)
    )


def _width(e: Estimator, release: Release, family: Family) -> int:
    """The width of the measure's own cell among several: of its sum, or of its count."""
    if not family.widths:
        return 1
    start = sum(len(f.cells) for f in release.families[: release.families.index(family)])
    own = (cell - start for cell, _ in e.s1 or e.n)
    return max((family.widths[i] for i in own if 0 <= i < len(family.widths)), default=1)


def _law(family: Family, part: Sums) -> tuple[str, ...]:
    """Why the noise is of this kind, and what its epsilon means where that is not plain."""
    if family.mechanism is Mechanism.CUBE:
        return ("one noise for all of them, with less variance than epsilon split between them",)
    if family.mechanism is not Mechanism.DISCRETE_GAUSSIAN:
        return ()
    together = sum(f.mechanism is Mechanism.DISCRETE_GAUSSIAN for f in part.families)
    if family.delta:
        means = f"epsilon holds for all {together} sums together, save with probability delta"
    else:
        means = f"epsilon stands for rho = epsilon^2 / 2 of all {together} sums together"
    return (f"Gaussian noise has the least variance here; {means}; the scale is its standard deviation",)


def _unit(e: Estimator) -> float:
    """What one unit of a family's cells is worth in the units of the measure, to first order."""
    if e.second is not None:
        return float(e.step * e.second.step)
    if e.measure.aggregate not in MOMENTS:
        return float(max(abs(c) for _, c in e.n))
    return float(e.step**2 if e.s2 else e.step)


def level_notes(plan: Plan, levels: tuple[Level, ...], names: Sequence[str]) -> Iterator[str]:
    """What is said of the tables that are releases added up."""
    for level in levels:
        release = plan.releases[level.release]
        if any(isinstance(p, GroupingSetSums) for p in release.parts):
            yield _reconciled(level, release, names[level.release])
            continue
        domain = plan.releases[level.release].keys.domain or ()
        coarser = {tuple(key[i] for i in level.kept) for key in domain}
        each = len(domain) / max(len(coarser), 1)
        yield (
            f"{_level(level, release)} adds up groups of {names[level.release]}, at no cost; a count or sum of "
            f"about {each:.3g} groups has an error {math.sqrt(each):.3g} times that of one"
        )


def _level(level: Level, release: Release) -> str:
    """The groups of a level in words, such as "the level by month"."""
    return f"the level {level_name(rolled_up(release, level.kept))}"


def _reconciled(level: Level, release: Release, name: str) -> str:
    """How far off the sums of a level are, released themselves or not."""
    shown = rolled_up(release, level.kept)
    measured = ((name_of(e), half_width(e, shown)) for e in shown.estimators)
    widths = [f"{name} ±{four_digits(width)}" for name, width in measured if width is not None]
    errors = f": {', '.join(widths)}" if widths else ""
    return (
        f"{_level(level, release)} adds up groups of {name}, in which several levels are reconciled{errors}"
    )


_PLAIN = tuple(
    (re.compile(pattern), plain)
    for pattern, plain in (
        (
            r"each row spends exactly hi - lo over the cells",
            "a sum and its count share one noise: a row moves both together by the width of the column's bounds",
        ),
        (
            r"each row spends exactly \(hi - lo\)\*\*2 over the cells",
            "a sum, its squares and its count share one noise: a row moves all together by the square of the width of "
            "the column's bounds",
        ),
        (
            r"each row spends exactly \(hi - lo\)(?:\*\*2)? of y \(hi - lo\)(?:\*\*2)? of x over the cells",
            "the sums of two columns and of their products share one noise: a row moves all together by the same, "
            "whatever its values",
        ),
        (
            r"a row moves a centred sum by hi - lo",
            "values are counted from the middle of the column's bounds, so that a row moves the sum alike at both ends",
        ),
        (
            r"a row moves each of (\d+) cells by at most its width, all of them at once",
            r"\1 sums share one noise: a row moves each of them by the width of its column's bounds at most",
        ),
        (
            r"rows per unit times the largest \|x\|",
            "each row of a person adds at most the largest value within the bounds, whatever its sign",
        ),
        (
            r"a unit's \|x\| add up to at most its unit_total, and a multiple of x to as many times that",
            "a person's values, signs left out, add up to at most their total in the policy, and a multiple of them to "
            "as many times that",
        ),
        (
            r"a unit's \|x\| add up to at most its unit_total",
            "a person's values, signs left out, add up to at most their total in the policy",
        ),
        (r"a unit owns at most so many rows", "each row of a person counts for one at most"),
        (r"a unit has at most so many rows", "each row of a person counts for one at most"),
        (
            r"a unit brings at most so many different values, each of them once to a group",
            "each row of a person adds at most one value that nobody else has, once to a group",
        ),
        (
            r"(\d+) different values at most, in each of a unit's groups",
            r"there are \1 different values at most, and a person can change which of them are in each of their groups",
        ),
        (
            r"there are (\d+) values, in each of a unit's groups",
            r"there are \1 different values, and a person can change which of them are in each of their groups",
        ),
        (
            r"a unit is counted once in each of all groups",
            "a person counts for one in each group, and may be in all",
        ),
        (
            r"a unit is counted once in each chosen group",
            "a person counts for one in each group that is chosen",
        ),
        (
            r"a unit is counted in at most so many groups",
            "a person counts for one in each of their groups, and the policy limits their number",
        ),
        (
            r"a unit touches at most so many groups",
            "a person counts for one in each of their groups, and their number is limited",
        ),
        (r"a unit is counted once", "a person counts for one"),
        (
            r"all rows of a unit are in one group",
            "a person counts for one: all of their rows are in one group",
        ),
        (
            r"each unit's contribution is scaled to a threshold that is found privately for this query",
            "what each person adds is limited to a size that is found privately for this query",
        ),
        (
            r"no row counts in two of (\d+) conditions that exclude each other: ",
            r"\1 conditions share one noise, since no row meets two of them: ",
        ),
        (
            r"; without the rows that count elsewhere",
            "; the rows of narrower conditions are counted there alone",
        ),
        (r"; group (\d+) of (\d+) that are added up", r"; group \1 of \2 that are added up"),
    )
)


def plain_reason(because: str) -> str:
    """The reason of a family's sensitivity in words for an analyst, piece by piece where several make one."""
    said, at = [], 0
    while at < len(because):
        found = next(((m, plain) for law, plain in _PLAIN if (m := law.match(because, at))), None)
        if found is None:
            said.append(because[at])
            at += 1
        else:
            match, plain = found
            said.append(match.expand(plain) if "\\" in plain else plain)
            at = match.end()
    return "".join(said)
