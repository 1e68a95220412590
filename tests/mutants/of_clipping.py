"""Defects of limits that are found for the query: sizes, scaling, the noise of what is left, and the choice of tau."""

from __future__ import annotations

from mutants.mutant import Mutant, one

FOLDER = "tests/mechanisms/clipping"
BINS = (f"{FOLDER}/test_unit_bins.py",)
SCALING = (f"{FOLDER}/test_scaling.py",)
WORLDS = (f"{FOLDER}/test_clipping_worlds.py",)
NOISE = (f"{FOLDER}/test_clipping_noise.py",)
THRESHOLD = (f"{FOLDER}/test_clipping_threshold.py",)
UNITS = (f"{FOLDER}/test_clipped_units.py",)

FOUND = ("tests/answers/test_found_limits.py",)
ROOTS = ("tests/answers/test_found_limits_gaussian.py",)
KEYS = ("tests/answers/test_found_limits_keys.py",)
SIGNS = ("tests/plan/test_signs.py",)

MUTANTS: tuple[Mutant, ...] = (
    one(
        "cells clamped to 62 bits and multiplied afterwards",
        "dpsql/mechanisms/clipping/unit_bins.py",
        'room = 1 << max(bits - integer("shift", shift, at_least=0), 0)',
        "room = 1 << bits",
        BINS,
    ),
    one(
        "cells whose squares add up to more than 126 bits",
        "dpsql/mechanisms/clipping/unit_bins.py",
        '_bits(integer("squared_cells", squared_cells, at_least=1))) // 2',
        '_bits(integer("squared_cells", squared_cells, at_least=1)) // 2) // 2',
        BINS,
    ),
    one(
        "no room below a count for a unit of many groups",
        "dpsql/mechanisms/clipping/unit_bins.py",
        "return LEAST_SHIFT + (touched - 1).bit_length()",
        "return LEAST_SHIFT",
        BINS,
    ),
    one(
        "a unit is counted in its bin and in all below it",
        "dpsql/mechanisms/clipping/unit_bins.py",
        "return np.bincount(places, minlength=len(bins)).astype(np.int64)",
        "return np.bincount(places, minlength=len(bins))[::-1].cumsum()[::-1].astype(np.int64)",
        WORLDS,
    ),
    one(
        "the size of a unit is that of its largest cell",
        "dpsql/mechanisms/clipping/unit_bins.py",
        "(np.abs(vectors) ** power).sum(axis=1)",
        "(np.abs(vectors) ** power).max(axis=1)",
        WORLDS,
    ),
    one(
        "the size of a unit is its sum, and not that of its absolute cells",
        "dpsql/mechanisms/clipping/unit_bins.py",
        "(np.abs(vectors) ** power).sum(axis=1)",
        "np.abs((vectors**power).sum(axis=1))",
        WORLDS,
    ),
    one(
        "cells rounded away from 0",
        "dpsql/mechanisms/clipping/scaling.py",
        "np.sign(rows) * (np.abs(rows) * tau // divisors",
        "np.sign(rows) * -(-np.abs(rows) * tau // divisors",
        SCALING,
    ),
    one(
        "negative cells rounded down",
        "dpsql/mechanisms/clipping/scaling.py",
        "np.sign(rows) * (np.abs(rows) * tau // divisors",
        "(rows * tau // divisors",
        SCALING,
    ),
    one(
        "a root below the norm",
        "dpsql/mechanisms/clipping/scaling.py",
        "return math.isqrt(value - 1) + 1 if value else 0",
        "return math.isqrt(value)",
        SCALING,
    ),
    one(
        "a root that trusts its hint",
        "dpsql/mechanisms/clipping/scaling.py",
        "above = (start + (value + start - 1) // start + 1) // 2",
        "above = start + 1",
        SCALING,
    ),
    one(
        "a replaced unit of signed cells moves by the root of two",
        "dpsql/mechanisms/clipping/clipping_noise.py",
        "return size**2 * (2 if self.nonnegative else 4)",
        "return size**2 * 2",
        WORLDS,
    ),
    one(
        "a replaced unit moves no farther in L2 than one that came or went",
        "dpsql/mechanisms/clipping/clipping_noise.py",
        "if self.neighbours is Neighbours.ADD_REMOVE:\n            return size**2",
        "if self.neighbours is Neighbours.ADD_REMOVE or self.nonnegative:\n            return size**2",
        WORLDS,
    ),
    one(
        "a replaced unit moves no farther in L1 than one that came or went",
        "dpsql/mechanisms/clipping/clipping_noise.py",
        "return size * self.neighbours.factor",
        "return size",
        WORLDS,
    ),
    one(
        "a Gaussian event of twice its variance",
        "dpsql/mechanisms/clipping/clipping_noise.py",
        "return Event(self.mechanism, 1, cost, 1 / (2 * self.budget))",
        "return Event(self.mechanism, 1, cost, 1 / self.budget)",
        NOISE,
    ),
    one(
        "a Laplace event at a large limit",
        "dpsql/mechanisms/clipping/clipping_noise.py",
        "return Event(self.mechanism, 1, cost)\n",
        "return Event(self.mechanism, 1 << 62, cost)\n",
        NOISE,
    ),
    one(
        "both parts of the budget at the whole of it",
        "dpsql/mechanisms/clipping/clipping_noise.py",
        "return HISTOGRAM_SHARE * whole, (1 - HISTOGRAM_SHARE) * whole",
        "return HISTOGRAM_SHARE * whole, whole",
        NOISE,
    ),
    one(
        "noise taken for units",
        "dpsql/mechanisms/clipping/clipping_threshold.py",
        "sure = count_above(START, len(counts), histogram)",
        "sure = count_above(WALK, len(counts), histogram)",
        THRESHOLD,
    ),
    one(
        "no way from the start to the top",
        "dpsql/mechanisms/clipping/clipping_threshold.py",
        "        top = found[-1]\n    return top",
        "        return top\n    return top",
        THRESHOLD,
    ),
    one(
        "what is lost is not divided among the groups",
        "dpsql/mechanisms/clipping/clipping_threshold.py",
        "(weighed * 3 / 4 - above * (1 << i)) / groups + noise",
        "(weighed * 3 / 4 - above * (1 << i)) + noise",
        THRESHOLD,
    ),
    one(
        "units in the bin of tau told to be clipped",
        "dpsql/mechanisms/clipping/clipped_units.py",
        "if 1 << j > limit]",
        "if 1 << j >= limit]",
        UNITS,
    ),
    one(
        "a unit is compared with the threshold before its cells are counted in small units",
        "dpsql/engines/sqlgen/contributions.py",
        "CASE WHEN t * {factor} > {_TAU} THEN {scaled}",
        "CASE WHEN t > {_TAU} THEN {scaled}",
        FOUND,
    ),
    one(
        "a unit in five groups is five units",
        "dpsql/engines/sqlgen/contributions.py",
        'FROM ({vectors}) GROUP BY {UNIT}"',
        'FROM ({vectors}) GROUP BY ALL"',
        FOUND,
    ),
    one(
        "each group of a unit is scaled by itself",
        "dpsql/engines/sqlgen/contributions.py",
        "OVER (PARTITION BY {UNIT})",
        "OVER (PARTITION BY {', '.join([UNIT, *(f'k{i}' for i in range(keys))])})",
        FOUND,
    ),
    one(
        "a size that is a power of two stands one bin too high",
        "dpsql/engines/sqlgen/contributions.py",
        "length(bin(t - 1))",
        "length(bin(t))",
        FOUND,
    ),
    one(
        "cells are not clamped",
        "dpsql/engines/sqlgen/contributions.py",
        'limit = f"{part.clipping.limit}::HUGEINT"',
        'limit = f"{2**120}::HUGEINT"',
        FOUND,
    ),
    one(
        "the noise of scaled sums is that of a threshold half as large",
        "dpsql/plan/sums/clipped.py",
        "sensitivity=self.noise.sensitivity(threshold)",
        "sensitivity=self.noise.sensitivity(max(threshold // 2, 1))",
        FOUND,
    ),
    one(
        "the noise is for the threshold of one neighbour where units are substituted",
        "dpsql/plan/sums/clipping.py",
        "answer = noise.laplace(second, p.context.policy.privacy.neighbours)",
        "answer = noise.laplace(second, Neighbours.ADD_REMOVE)",
        FOUND,
    ),
    one(
        "the histogram is not charged",
        "dpsql/plan/sums/clipping.py",
        "    first, second = noise.shares_of_epsilon(family.epsilon)\n",
        "    first, second = noise.shares_of_epsilon(family.epsilon)\n    second = family.epsilon\n",
        FOUND,
    ),
    one(
        "a stored answer forgets its limit",
        "dpsql/release/draw/noise.py",
        "        if self.limits:\n",
        "        if not self.limits:\n",
        FOUND,
    ),
    one(
        "the root in SQL is that of a double, rounded up",
        "dpsql/engines/sqlgen/contributions.py",
        'root = "CASE WHEN b >= (q + b - 1) // b THEN b ELSE a END"',
        'root = "greatest(CAST(ceil(sqrt(CAST(q AS DOUBLE))) AS HUGEINT), 1::HUGEINT)"',
        ROOTS,
    ),
    one(
        "the root in SQL is one too small where its square does not suffice",
        "dpsql/engines/sqlgen/contributions.py",
        'root = "CASE WHEN b >= (q + b - 1) // b THEN b ELSE a END"',
        'root = "b"',
        ROOTS,
    ),
    one(
        "the size of a unit in L2 is compared with the threshold as a double",
        "dpsql/engines/sqlgen/contributions.py",
        'f"CASE WHEN q > {_TAU} * {_TAU} THEN {scaled} ELSE {{c}} * {factor} END"',
        'f"CASE WHEN CAST(q AS DOUBLE) > 1.5 * {_TAU} * {_TAU} THEN {scaled} ELSE {{c}} * {factor} END"',
        ROOTS,
    ),
    one(
        "cells of a vector scaled by a root are rounded up",
        "dpsql/engines/sqlgen/contributions.py",
        'scaled = f"sign({{c}}) * ((abs({{c}}) * {factor} * {_TAU}) // s)"',
        'scaled = f"sign({{c}}) * ((abs({{c}}) * {factor} * {_TAU} + s - 1) // s)"',
        ROOTS,
    ),
    one(
        "a divisor that may be 0 where it is not used",
        "dpsql/engines/sqlgen/contributions.py",
        "greatest(a - 1, 1::HUGEINT) AS b",
        "a - 1 AS b",
        ROOTS,
    ),
    one(
        "bins of L2 sizes by the digits of their squares, rounded down",
        "dpsql/engines/sqlgen/contributions.py",
        'f"({digits} + 1) // 2"',
        'f"{digits} // 2"',
        ROOTS,
    ),
    one(
        "no room for the squares of all groups",
        "dpsql/plan/sums/clipping.py",
        "squared_cells=groups * len(family.cells) if squared else None",
        "squared_cells=None",
        ROOTS,
    ),
    one(
        "the histogram of a Gaussian limit is not paid for",
        "dpsql/plan/sums/clipping.py",
        "        answer = noise.gaussian(second,",
        "        second = first + second\n        answer = noise.gaussian(second,",
        ROOTS,
    ),
    one(
        "the Gaussian event is that of the sums alone",
        "dpsql/plan/types.py",
        "gaussian = [e for e in found if e.variance is not None]",
        "gaussian = [e for e in found if e.variance is not None][1:]",
        ROOTS,
    ),
    one(
        "the variance of sums is that for a threshold of 1",
        "dpsql/plan/sums/clipped.py",
        "variance=self.noise.rate(threshold)",
        "variance=self.noise.rate(1)",
        ROOTS,
    ),
    one(
        "signed cells pass for counts where units are replaced",
        "dpsql/plan/sums/signs.py",
        "return all(_adds_nothing_below_0(family, cell) for cell in family.cells)",
        "return any(_adds_nothing_below_0(family, cell) for cell in family.cells) or True",
        SIGNS,
    ),
    one(
        "the check takes a quadratic for its ends",
        "dpsql/plan/verify/cost_signs.py",
        "    if square > 0:\n",
        "    if square < 0:\n",
        SIGNS,
    ),
    one(
        "the second derivation forgets that a replaced unit moves twice",
        "dpsql/plan/verify/cost_clipped.py",
        "    if part.noise.neighbours is Neighbours.SUBSTITUTE:\n",
        "    if part.noise.neighbours is Neighbours.ADD_REMOVE and part.noise.nonnegative is None:\n",
        ROOTS,
    ),
    one(
        "sums by private keys whose groups nobody selected",
        "dpsql/plan/verify/cost_clipped.py",
        "    _require(release.keys.domain is not None or isinstance(release.parts[0], Presence))\n",
        "",
        KEYS,
    ),
    one(
        "the squares of any number of groups have room",
        "dpsql/plan/sums/clipping.py",
        "    if groups is None:\n        return 0\n",
        "    if groups is None:\n        groups = 1\n",
        KEYS,
    ),
)
