"""Defects of limits that are found from the units that own most, and of what is told of them."""

from __future__ import annotations

from mutants.mutant import Mutant, one

THRESHOLD = "dpsql/mechanisms/clipping/clipping_threshold.py"
DRAWN = "dpsql/release/draw/thresholds.py"
LISTS = "dpsql/engines/sqlgen/bounding.py"
OTHERS = "dpsql/engines/sqlgen/clipping/largest_units.py"
SQL = "dpsql/engines/sqlgen/clipping/contributions.py"
TOLD = "dpsql/release/uncertainty/total_intervals.py"

FIRST = ("tests/plan/test_largest_first.py",)
LARGEST = ("tests/engines/test_largest_units.py",)
BIAS = ("tests/answers/test_bias_told.py",)
OWNED = ("tests/engines/test_owned_rows.py",)

MUTANTS: tuple[Mutant, ...] = (
    one(
        "others may be above the limit of a cell",
        SQL,
        "min(high - low, limit.bit_length())",
        "high - low",
        (*LARGEST, "-k", "limit_of_a_cell"),
    ),
    one(
        "others may be up to twice the limit of a cell",
        SQL,
        "min(high - low, limit.bit_length())",
        "min(high - low, limit.bit_length() + 1)",
        (*LARGEST, "-k", "limit_of_a_cell"),
    ),
    one(
        "the second bin below the top has no say in how counts fall",
        THRESHOLD,
        "min(best, top - FALLING, sure)",
        "min(best, top - 1, sure)",
        FIRST,
    ),
    one(
        "tau's own bin has no say",
        THRESHOLD,
        "min(best, top - FALLING, sure)",
        "min(top - FALLING, sure)",
        FIRST,
    ),
    one(
        "the start has no say", THRESHOLD, "min(best, top - FALLING, sure)", "min(best, top - FALLING)", FIRST
    ),
    one(
        "a start that is not sure is told from the last bins",
        THRESHOLD,
        "if sure is not None else 0",
        "if sure is not None else max(top - FALLING, 0)",
        FIRST,
    ),
    one(
        "a threshold is taken with one bin missing",
        DRAWN,
        "if found.threshold.first >= read:",
        "if found.threshold.first >= read - 1:",
        FIRST,
    ),
    one(
        "bins that are read later have no noise",
        DRAWN,
        "others = _noisy(part, counts_of(part, every())[: found.read], sampler)",
        "others = counts_of(part, every())[: found.read]",
        FIRST,
    ),
    one(
        "bins that were read have noise once more",
        DRAWN,
        "return np.concatenate([others, found.counts[found.read :]])",
        "return np.concatenate([others, _noisy(part, counts_of(part, every())[found.read :], sampler)])",
        FIRST,
    ),
    one(
        "bins are told as they were read, not as they had a say",
        DRAWN,
        "first = 0 if few else found.threshold.first",
        "first = 0 if few else found.read",
        FIRST,
    ),
    one(
        "rows are counted three times where a cell counts three for each",
        DRAWN,
        "rows.append(Fraction(total, times))",
        "rows.append(Fraction(total))",
        FIRST,
    ),
    one(
        "the bin of the largest of the others is taken for full",
        OTHERS,
        "{power_of('o')} + 1 ELSE 0",
        "{power_of('o')} ELSE 0",
        LARGEST,
    ),
    one(
        "without others the lowest bin is missing",
        OTHERS,
        "+ 1 ELSE 0 END",
        "+ 1 ELSE 1 END",
        LARGEST,
    ),
    one(
        "how large others can be is asked of those that are kept",
        OTHERS,
        "AS r ANTI JOIN ({kept}) AS h",
        "AS r SEMI JOIN ({kept}) AS h",
        LARGEST,
    ),
    one(
        "the most rows of others are those of a unit that is kept",
        OTHERS,
        'SELECT n AS g0 FROM {units_table(units.name)} WHERE NOT kept"',
        'SELECT n AS g0 FROM {units_table(units.name)} WHERE kept"',
        LARGEST,
    ),
    one(
        "all units that are listed are kept, however many there are beside them",
        LISTS,
        "<= {most} AND count(*) {before} < {_MOST_UNITS}",
        "<= {most}",
        LARGEST,
    ),
    one(
        "units are kept from the smallest on",
        LISTS,
        "ORDER BY n DESC LIMIT",
        "ORDER BY n LIMIT",
        LARGEST,
    ),
    one(
        "how large others can be is told by the first pass over them",
        LISTS,
        "SELECT max(o) AS o FROM",
        "SELECT min(o) AS o FROM",
        LARGEST,
    ),
    one(
        "how large others can be is asked for each range that a condition leaves",
        "dpsql/engines/sqlgen/clipping/clipped_parts.py",
        "return all(facts.of(arg).interval == task.base.of(arg).interval for arg in added)",
        "return True",
        LARGEST,
    ),
    one(
        "rows of a table with a cap are kept as if it had none",
        "dpsql/engines/sqlgen/clipping/clipped_parts.py",
        "or bounding.table_cap or bounding.totals",
        "or bounding.totals",
        LARGEST,
    ),
    one(
        "sizes of others are bounded by what may be taken off again",
        SQL,
        "sum(abs(cell[i]) for cell in part.cells)",
        "sum(cell[i] for cell in part.cells)",
        LARGEST,
    ),
    one(
        "sums of signed values are bounded by their sum",
        SQL,
        "_additive(parts) and all(adds_nothing_below_0(t) for p in parts for t in p.terms)",
        "_additive(parts)",
        LARGEST,
    ),
    one(
        "what large units add is added once more, scaled",
        SQL,
        "{_divided(part).format(c=f'c{i}')} - r{i} * {factor}",
        "{_divided(part).format(c=f'c{i}')}",
        LARGEST,
    ),
    one(
        "in L2 all cells are taken for one",
        TOLD,
        "s // (isqrt(c.size) + 1) if g else s",
        "s",
        BIAS,
    ),
    one(
        "the rows of large units are read without the condition",
        "dpsql/engines/sqlgen/single.py",
        "return (self._side(listed(self.task.of_largest)),), ()",
        "return (self._side(listed(self.task.of_largest), self.asked.relation),), ()",
        LARGEST,
    ),
    one(
        "a unit's only cell above the threshold is taken off altogether",
        SQL,
        "SELECT {_TAU} - x AS x FROM",
        "SELECT -x AS x FROM",
        LARGEST,
    ),
    one(
        "of few rows the largest units are asked for",
        "dpsql/engines/private_engine.py",
        "if query.of_many and self._rows_of(query.counted) <= ROWS_AT_ONCE:",
        "if query.of_many and self._rows_of(query.counted) < 0:",
        LARGEST,
    ),
    one(
        "what is counted is what the bins say, though some were not read",
        TOLD,
        "answered=Fraction(answered if unread else 0)",
        "answered=Fraction(0)",
        BIAS,
    ),
    one("all people are told where some were not counted", TOLD, "read != bins)", "False)", BIAS),
    one(
        "rows of nobody are read where there are any",
        "dpsql/engines/sqlgen/relation.py",
        'Either(orphan, made, f"{made} WHERE {unit} IS NOT NULL")',
        "Either(orphan, made, made)",
        OWNED,
    ),
    one(
        "the view without a condition is made where there are rows of nobody",
        "dpsql/engines/lists/in_passes.py",
        "statement.some if found else statement.none",
        "statement.none if found else statement.some",
        OWNED,
    ),
    one(
        "units in the threshold's own bin are scaled",
        DRAWN,
        "if cast(int, key) > power]",
        "if cast(int, key) >= power]",
        LARGEST,
    ),
    one(
        "what is above the highest threshold is not taken off",
        DRAWN,
        "return -sum(over << shift for _, _, over in rows)",
        "return 0",
        LARGEST,
    ),
    one(
        "bins are taken for whole at a threshold that is no power of two",
        DRAWN,
        "if largest.values.shape[1] != OF_BINS or threshold != 1 << power:",
        "if largest.values.shape[1] != OF_BINS:",
        LARGEST,
    ),
    one(
        "the largest units alone are scaled where they are not enough",
        "dpsql/release/draw/perform.py",
        "added_by_bins(histogram, largest, under.threshold) if under.largest else None",
        "added_by_bins(histogram, largest, under.threshold)",
        LARGEST,
    ),
    one(
        "the sum of a bin counts each size once",
        SQL,
        '"sum(t)"',
        '"sum(DISTINCT t)"',
        LARGEST,
    ),
    one(
        "the first bin without others is one too low",
        SQL,
        'f"NULL, p + {low}"',
        'f"NULL, greatest(p - 1, 0) + {low}"',
        LARGEST,
    ),
    one(
        "bins count that others may be in",
        "dpsql/engines/private_engine.py",
        "row[0] is not None and row[0] >= first]",
        "row[0] is not None]",
        LARGEST,
    ),
    one(
        "wide integers are compared as they are stored",
        "dpsql/engines/sources/column_types.py",
        "return quoted(column.name) if column.kind in _SMALL_INTEGERS else",
        "return quoted(column.name) if column.kind != 'varchar' else",
        ("tests/engines/test_stored_conditions.py",),
    ),
    one(
        "columns that terms read are left out where a condition was asked of what is stored",
        "dpsql/engines/sqlgen/single.py",
        "asked = (*task.keys, *expressions(self.asked.relation), *task.summed)",
        "asked = (*task.keys, *expressions(self.asked.relation))",
        LARGEST,
    ),
)
