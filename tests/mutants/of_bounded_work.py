"""Small defects by which one unit's rows or texts decide whether, or when, a query is answered."""

from __future__ import annotations

from mutants.mutant import Edit, Mutant, one

HEAVY = ("tests/attacks/test_heavy_units.py", "-m", "not slow")
SUMS = ("tests/plan/test_bounded_sums.py",)
REGEX = ("tests/functions/test_regex.py",)

MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "the rows of a heavy unit are listed as a whole",
        (
            Edit(
                "dpsql/engines/sqlgen/bounding.py",
                "MOST_ROWS, LEAST_ROWS = 10_000, 1_000",
                "MOST_ROWS, LEAST_ROWS = 999_999, 999_999",
            ),
        ),
        HEAVY,
    ),
    one(
        "what is for units that are too big to be listed is left out where there are such units",
        "dpsql/engines/private_engine.py",
        "self._counted[units.name] = every, big",
        "self._counted[units.name] = every, 0",
        SUMS,
    ),
    one(
        "what is for units that are too big to be listed is left out where one of two lists has none",
        "dpsql/engines/private_engine.py",
        "without_big and all(big == 0",
        "without_big and any(big == 0",
        ("tests/engines/test_big_units.py",),
    ),
    one(
        "what is for listed units is left out where one of two lists has none",
        "dpsql/engines/private_engine.py",
        "without_units and all(units == 0",
        "without_units and any(units == 0",
        ("tests/engines/test_big_units.py",),
    ),
    one(
        "what units add to their groups is made without those that are listed, whoever they are",
        "dpsql/engines/private_engine.py",
        "others = (other for other in lists if other is not units)",
        "others = ()",
        ("tests/engines/test_big_units.py",),
    ),
    one(
        "a unit that is too big to be listed counts with all of its rows",
        "dpsql/engines/sqlgen/single.py",
        "return (every, *self._kept_of_big(units, cap)), (of_big, dropped)",
        "return (every, *self._kept_of_big(units, cap)), (dropped,)",
        SUMS,
    ),
    one(
        "a unit that is too big to be listed counts with all of its rows where rows are counted",
        "dpsql/engines/sqlgen/single.py",
        "(replace(light_too, beyond=cap), replace(of_big, beyond=cap))",
        "(replace(light_too, beyond=cap),)",
        SUMS,
    ),
    one(
        "rows beyond the table's cap count where the dataset has one as well",
        "dpsql/engines/sqlgen/single.py",
        "return (every, of_own), (of_big, dropped, replace(kept, beyond=cap))",
        "return (every, of_own), (of_big, replace(kept, beyond=cap))",
        SUMS,
    ),
    one(
        "a unit keeps one row more than its cap where rows are counted",
        "dpsql/engines/sqlgen/aggregate.py",
        "coalesce(sum(n - {side.beyond}), 0)",
        "coalesce(sum(n - {side.beyond} - 1), 0)",
        SUMS,
    ),
    one(
        "a condition at a column's bound is asked of values that are beyond it",
        "dpsql/engines/sqlgen/stored_conditions.py",
        'below_most = at < bounds.hi or (op in ("ge", "lt") and at == bounds.hi)',
        "below_most = at <= bounds.hi",
        ("tests/engines/test_stored_conditions.py",),
    ),
    one(
        "values of a column are not clipped to limits that are narrower than its bounds",
        "dpsql/engines/sqlgen/grid.py",
        "return grid.lo <= least and most <= grid.hi",
        "return grid.lo <= least",
        ("tests/engines/test_grid_of_columns.py",),
    ),
    one(
        "a column is never clamped where its rows are only added up",
        "dpsql/engines/sqlgen/clamps.py",
        'made + column_sql(column, "v")',
        'f"{made}v"',
        ("tests/engines/test_clamps.py",),
    ),
    one(
        "a value above its column's bounds is not looked for",
        "dpsql/engines/sqlgen/clamps.py",
        "{value} NOT BETWEEN {least} AND {most}",
        "{value} < {least}",
        ("tests/engines/test_clamps.py",),
    ),
    one(
        "there are two zeros where a clamp is left out",
        "dpsql/engines/sqlgen/clamps.py",
        "Either(found, made + inside, ",
        'Either(found, f"{made}v", ',
        ("tests/engines/test_clamps.py",),
    ),
    one(
        "columns of one table have one clamp",
        "dpsql/engines/sqlgen/clamps.py",
        'digest("clamp", info.name, column.name, *ends)',
        'digest("clamp", info.name)',
        ("tests/engines/test_clamps.py",),
    ),
    one(
        "lists whose checkpoint did not fit fail all later queries",
        "dpsql/engines/private_engine.py",
        "        begin_lists(self._connection)\n",
        "        pass\n",
        ("tests/engines/test_lost_engines.py",),
    ),
    one(
        "lists that are kept for others fail a query for lack of memory",
        "dpsql/engines/private_engine.py",
        "if not others:",
        "if True:",
        ("tests/engines/test_lost_engines.py",),
    ),
    one(
        "lists of rows are given up for clamps",
        "dpsql/engines/private_engine.py",
        "if not built.lasting]",
        "]",
        ("tests/engines/test_clamps.py",),
    ),
    one(
        "all lines of a file are parsed to see whether a column has to be clamped",
        "dpsql/engines/sqlgen/clamps.py",
        " or table.source.kind not in _ASKED",
        "",
        ("tests/engines/test_clamps.py",),
    ),
    one(
        "a lost engine is given to the next who asks",
        "dpsql/engines/spare.py",
        "        except FinishLost:\n",
        "        except KeyError:\n",
        ("tests/engines/test_lost_engines.py",),
    ),
    one(
        "what one order of joins fails at is a failure",
        "dpsql/engines/private_engine.py",
        "except (duckdb.InternalException, duckdb.FatalException):",
        "except duckdb.IOException:",
        ("tests/engines/test_second_engine.py",),
    ),
    one(
        "the second engine orders joins by numbers of rows",
        "dpsql/engines/duckdb_settings.py",
        'frozenset({"filter_pushdown", ',
        'frozenset({"filter_pushdown", "join_order", ',
        ("tests/engines/test_second_engine.py",),
    ),
    one(
        "a library function is counted on to keep to its range",
        "dpsql/engines/sqlgen/grid.py",
        "return value.op in _EXACT and all(a.type in NUMERIC and _is_exact(a) for a in value.args)",
        "return True",
        ("tests/engines/test_grid_of_columns.py",),
    ),
    one(
        "big units are ordered by their table's columns where all columns in reach decide",
        "dpsql/engines/sqlgen/single.py",
        "in_reach = content_terms([flat(c) for c in self.task.in_reach], self.table.salt)",
        "in_reach = content_terms([flat(c) for c in self._own()], self.table.salt)",
        SUMS,
    ),
    one(
        "the first rows are those of the least hash, whatever they hold",
        "dpsql/engines/sqlgen/first.py",
        "dict.fromkeys([*order, *columns])",
        "dict.fromkeys([*order[:1], *columns[::-1]])",
        ("tests/plan/test_first_rows.py",),
    ),
    one(
        "every match of any pattern is replaced in any text",
        "dpsql/algebra/functions/text/splitting.py",
        "if not once and (",
        "if once and (",
        REGEX,
    ),
    one(
        "a loop beside | is taken for one that every match passes",
        "dpsql/algebra/functions/text/regex.py",
        "self.tangled |= len(sizes) > 1 and self.loops > loops",
        "self.tangled |= False",
        REGEX,
    ),
    one(
        "the length of any text is a range for a sum",
        "dpsql/plan/sums/grids.py",
        "return not _lengths(arg, shape) or interval ==",
        "return True or interval ==",
        ("tests/plan/test_lengths.py",),
    ),
    one(
        "rows in lists that are compared by one of their values alone",
        "dpsql/sql/subqueries/predicates.py",
        'apply("and", (_equal(pairs, node), listed)) if pairs else listed',
        "listed",
        ("tests/plan/test_rows_in_lists.py",),
    ),
)
