"""Small defects by which an engine would compute with the types of a source, or read more than a row of it."""

from __future__ import annotations

from mutants.mutant import Edit, Mutant, one

VIEWS = "tests/engines/test_typed_views.py"
TYPED = ("tests/fuzz/test_typed.py", "-k", "as_it_is_defined")
SENSITIVITY = ("tests/fuzz/test_sensitivity.py", "--executions", "1200")
EQUIVALENCE = ("tests/fuzz/test_equivalence.py", "--executions", "1000")


def views(which: str) -> tuple[str, ...]:
    """Some of the attacks on types."""
    return (VIEWS, "-k", which)


_TYPE_CHECK = (
    "if wanted and [(c.name, c.written) for c in columns_of(connection, name)][: len(wanted)] != wanted:"
)


def _bare(name: str, engine: str, tests: tuple[str, ...]) -> Mutant:
    """An engine, chosen by whether it stores public tables, reads them as they are where no columns are listed."""
    bare = "'FROM ' + typed.select.rpartition(' FROM ')[2]"
    as_it_is = f"{bare} if {engine} and not typed.table.columns else typed.select"
    made = Edit("dpsql/engines/sources/views.py", "AS {typed.select}", f"AS {{{as_it_is}}}")
    return Mutant(name, (made, Edit("dpsql/engines/sources/views.py", _TYPE_CHECK, "if False:")), tests)


def _beyond(name: str, step: str, expression: str) -> Mutant:
    """A step of a view that reads more than one row, with its expressions."""
    file, steps, plain = "dpsql/engines/sources/row_wise.py", "_STEPS = frozenset({", "_PLAIN = frozenset({"
    edits = Edit(file, steps, f"{steps}{step}, "), Edit(file, plain, f"{plain}{expression}, ")
    return Mutant(name, edits, views("beyond_its_row"))


MUTANTS: tuple[Mutant, ...] = (
    _bare("the private engine reads unlisted tables as they are", "not stored", SENSITIVITY),
    _bare("the public engine reads unlisted tables as they are", "stored", TYPED),
    one(
        "a collation stays",
        "dpsql/engines/sources/column_types.py",
        'return f"{text} COLLATE C"',
        "return text",
        SENSITIVITY,
    ),
    one(
        "text is compared without regard to case",
        "dpsql/engines/sources/column_types.py",
        'return f"{text} COLLATE C"',
        'return f"{text} COLLATE NOCASE"',
        SENSITIVITY,
    ),
    one(
        "a collation stays, and conditions that exclude one another do not",
        "dpsql/engines/sources/column_types.py",
        'return f"{text} COLLATE C"',
        "return text",
        views("exclude_one_another"),
    ),
    one(
        "text of another type is made anew for every query",
        "dpsql/engines/sources/views.py",
        "        rendered,\n",
        "        False,\n",
        views("nothing_behind_them and uuid"),
    ),
    one(
        "nothing between a comparison and the cast of private text",
        "dpsql/engines/sources/column_types.py",
        'return _binary(text if column.kind == "varchar" else apart)',
        "return _binary(text)",
        views("nothing_moves_behind"),
    ),
    one(
        "NULL of another type than text is an empty text",
        "dpsql/engines/sources/column_types.py",
        'apart = f"CASE WHEN {quoted(column.name)} IS NOT NULL THEN concat({text}) END"',
        'apart = f"concat({text})"',
        EQUIVALENCE,
    ),
    one(
        "an ENUM is passed through",
        "dpsql/engines/sources/column_types.py",
        'return value if column.written == "VARCHAR" else',
        'return value if column.kind in ("varchar", "enum") else',
        views("nothing_behind_them and enum"),
    ),
    one(
        "a UUID is passed through",
        "dpsql/engines/sources/column_types.py",
        'return value if column.written == "VARCHAR" else',
        'return value if column.kind in ("varchar", "uuid") else',
        views("nothing_behind_them and uuid"),
    ),
    one(
        "JSON is passed through",
        "dpsql/engines/sources/column_types.py",
        'return value if column.written == "VARCHAR" else',
        'return value if column.kind == "varchar" else',
        views("nothing_behind_them and json"),
    ),
    one(
        "integers beyond BIGINT are clamped where no bounds say so",
        "dpsql/engines/sources/column_types.py",
        "return ColumnType.INTEGER if fits_bigint else ColumnType.TEXT",
        "return ColumnType.INTEGER",
        views("nothing_behind_them and huge"),
    ),
    one(
        "two zeros",
        "dpsql/engines/sources/column_types.py",
        'return f"{_converted(column, wanted)} + 0.0::DOUBLE"',
        "return _converted(column, wanted)",
        TYPED,
    ),
    one(
        "a list is read as what it lists",
        "dpsql/engines/sources/column_types.py",
        "SourceColumn(name, str(kind.id), str(kind))",
        'SourceColumn(name, str(kind).partition("(")[0].partition("[")[0].lower(), str(kind))',
        views("a_list_is_none"),
    ),
    one(
        "folders are columns",
        "dpsql/engines/sources/parquet.py",
        '"hive_partitioning := false, union_by_name',
        '"union_by_name',
        views("a_folders_name"),
    ),
    one(
        "a file's name is a pattern",
        "dpsql/engines/sources/parquet.py",
        'return re.sub(r"([*?\\[])", r"[\\1]", str(path))',
        "return str(path)",
        views("a_folders_name"),
    ),
    one(
        "a view is a table",
        "dpsql/engines/sources/files.py",
        'if kind == "view" and table.view is None:',
        "if False:",
        views("where_the_policy_speaks"),
    ),
    _beyond("a view over a window is row by row", '"LOGICAL_WINDOW"', '"BOUND_WINDOW"'),
    _beyond("a view over totals is row by row", '"LOGICAL_AGGREGATE_AND_GROUP_BY"', '"BOUND_AGGREGATE"'),
    _beyond("a view of the first rows is row by row", '"LOGICAL_LIMIT"', '"BOUND_REF"'),
    one(
        "functions of the clock and of chance are functions of a row",
        "dpsql/engines/sources/row_wise.py",
        "    total = name in _TOTAL or",
        '    total = name in _TOTAL | {"now", "random", "epoch_ms", "get_current_timestamp"} or',
        views("beyond_its_row"),
    ),
    one(
        "the place of a row in its table is a column",
        "dpsql/engines/sources/row_wise.py",
        "return not columns and any(",
        "return columns and not any(",
        views("beyond_its_row"),
    ),
    one(
        "constants are cast without a look at them",
        "dpsql/engines/sources/row_wise.py",
        'IS NOT NULL"\n        return self.connection.execute(tried).fetchall() == [(True,)]',
        'IS NOT NULL"\n        return self.connection.execute(tried).fetchall() != []',
        views("beyond_its_row"),
    ),
    one(
        "TRY_CAST makes every type of every type",
        "dpsql/engines/sources/row_wise.py",
        "return source in _TRIED and wanted in _TRIED",
        "return True",
        views("beyond_its_row"),
    ),
    one(
        "a cast that fails on some rows is a function of a row",
        "dpsql/engines/sources/row_wise.py",
        "    if source == wanted and",
        '    if wanted in ("BIGINT", "INTEGER") or source == wanted and',
        views("beyond_its_row or generated_column"),
    ),
    one(
        "JSON is a text",
        "dpsql/engines/sources/row_wise.py",
        ' and _type_sql(node.get("return_type")) == "VARCHAR"',
        "",
        views("beyond_its_row"),
    ),
    one(
        "generated columns are not looked at",
        "dpsql/engines/sources/files.py",
        "    if beyond is not None:\n",
        "    if beyond is not None and table.view is not None:\n",
        views("generated_column"),
    ),
    one(
        "long texts are not cut",
        "dpsql/engines/sources/column_types.py",
        "> {longest} THEN left({text}, {longest}) ELSE {text} END",
        "> {longest} THEN {text} ELSE {text} END",
        views("cut_at_its_length"),
    ),
    one(
        "long keys are cut, and two units are one",
        "dpsql/engines/sources/column_types.py",
        'return _binary(f"CASE WHEN {fits}{whole} THEN {value} END")',
        'return _binary(f"CASE WHEN {fits}{whole} THEN {value} ELSE left({value}, {longest}) END")',
        views("too_long_owns_nothing"),
    ),
    one(
        "a column may be named as the owner of its rows",
        "dpsql/policy/names.py",
        "    if name.startswith(OWN):\n",
        "    if name == OWN:\n",
        ("tests/policy/test_policy_mistakes.py",),
    ),
    one(
        "a Parquet file is believed to have no NaN",
        "dpsql/engines/sources/parquet.py",
        '"can_have_nan := true"',
        '"can_have_nan := false"',
        ("tests/engines/test_parquet_statistics.py",),
    ),
    one(
        "former statistics of texts are believed",
        "dpsql/engines/sources/parquet.py",
        "    if not table.public:\n        _require_ordered",
        "    if table.public:\n        _require_ordered",
        ("tests/engines/test_parquet_statistics.py",),
    ),
    one(
        "one text that is no UTF-8 fails every query",
        "dpsql/engines/sources/parquet.py",
        "utf8_validation := 'replace'",
        "utf8_validation := 'strict'",
        ("tests/engines/test_parquet_statistics.py",),
    ),
    one(
        "one moment of twelve bytes that is too far fails every query",
        "dpsql/engines/sources/parquet.py",
        "*(() if public else (_NEAREST,))",
        "*((_NEAREST,) if public else ())",
        ("tests/engines/test_parquet_statistics.py", "-k", "moment"),
    ),
    one(
        "one moment of a file in milliseconds that is too far fails every query",
        "dpsql/engines/sources/parquet.py",
        "        _require_readable(connection, table, files)\n",
        "",
        ("tests/engines/test_parquet_statistics.py", "-k", "moment"),
    ),
    one(
        "one moment of a frame in milliseconds that is too far fails every query",
        "dpsql/engines/sources/arrow_tables.py",
        "if types.is_timestamp(kind) and kind.unit in _PER_UNIT:",
        "if False:",
        ("tests/engines/test_frames.py", "-k", "moment"),
    ),
    one(
        "a frame's moments wrap around where microseconds end",
        "dpsql/engines/sources/arrow_tables.py",
        "column.cast(arrow.int64()), furthest, skip_nulls",
        "column.cast(arrow.int64()), _MOST, skip_nulls",
        ("tests/engines/test_frames.py", "-k", "moment"),
    ),
    one(
        "keys that own nothing since they hold what a byte is replaced by are not counted",
        "dpsql/engines/sources/unread_values.py",
        "looked_for = [*_long(table), *_replaced(policy, table)]",
        "looked_for = [*_long(table)]",
        ("tests/cli/test_cli_admin.py", "-k", "since_they_may_be_no_utf8"),
    ),
    one(
        "keys that are no UTF-8 are one key",
        "dpsql/engines/sources/views.py",
        "replaced = table.source.kind in (SourceKind.PARQUET, SourceKind.FRAME)",
        "replaced = table.source.kind is SourceKind.FRAME",
        ("tests/engines/test_parquet_statistics.py",),
    ),
)
