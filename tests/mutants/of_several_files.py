"""Defects in how several files, JSON and frames are read, and in how their change is seen."""

from __future__ import annotations

from mutants.mutant import one

FILES = ("tests/engines/test_file_sets.py",)
JSON = ("tests/engines/test_json_rows.py",)
FRAMES = ("tests/engines/test_frames.py",)

SQLITE = ("tests/engines/test_sqlite_copies.py",)
COPIES = ("tests/engines/test_postgres_copies.py",)

MUTANTS = (
    one(
        "a pattern follows links",
        "dpsql/engines/sources/file_sets.py",
        "    if entry.is_symlink():\n",
        "    if False:\n",
        (*FILES, "-k", "link"),
    ),
    one(
        "a file that is gone is no change of data",
        "dpsql/engines/sources/fingerprints.py",
        "* bool(source.parts) + prints",
        "* 0 + prints",
        (*FILES, "-k", "removed"),
    ),
    one(
        "files of a pattern that changed places are copies",
        "dpsql/engines/sources/data_version.py",
        "        and (not depth or Path(other.path).parts[-depth:] == name)\n",
        "",
        (*FILES, "-k", "places"),
    ),
    one(
        "a folder's name replaces a column of the file",
        "dpsql/engines/sources/parquet.py",
        "        if doubled is not None:\n",
        "        if False:\n",
        (*FILES, "-k", "replaced"),
    ),
    one(
        "a column of another type in a later file is cast",
        "dpsql/engines/sources/parquet.py",
        "(found.name, found.written) != (first.name, first.written)",
        "found.name != first.name",
        (*FILES, "-k", "one_shape"),
    ),
    one(
        "the last of two fields of one name is read",
        "dpsql/engines/sources/json_rows.py",
        "        if at in seen:\n            return None\n",
        "",
        JSON,
    ),
    one(
        "NaN is a number of JSON",
        "dpsql/engines/sources/json_rows.py",
        "parse_constant=_refuse",
        "parse_constant=_Number",
        JSON,
    ),
    one(
        "a text of digits is a number",
        "dpsql/engines/sources/json_rows.py",
        "_TEXTS = (ColumnType.TEXT, ",
        "_TEXTS = (*ColumnType, ColumnType.TEXT, ",
        JSON,
    ),
    one(
        "a NULL of a frame is the value that stands in its place",
        "dpsql/engines/sources/arrow_tables.py",
        "    yield column.is_null().to_numpy(zero_copy_only=False).tobytes()\n",
        "",
        FRAMES,
    ),
    one(
        "an object of pandas is what Python makes of it",
        "dpsql/engines/sources/arrow_tables.py",
        "            if isinstance(value, bool) or not isinstance(value, int | np.integer):\n",
        "            if not isinstance(value, int | np.integer):\n",
        FRAMES,
    ),
    one(
        "the copy of a frame may be read by everybody",
        "dpsql/engines/sources/frames.py",
        "os.fchmod(fd, 0o600)",
        "os.fchmod(fd, 0o644)",
        FRAMES,
    ),
    one(
        "tables of a database are copied in states of their own",
        "dpsql/engines/databases/postgres_tables.py",
        '"SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"',
        '"SET TRANSACTION READ ONLY"',
        COPIES,
    ),
    one(
        "rows that row-level security hides are missing without a word",
        "dpsql/engines/databases/postgres_tables.py",
        '    "SET LOCAL row_security = off",\n',
        "",
        (*COPIES, "-k", "security"),
    ),
    one(
        "texts come in what the environment says",
        "dpsql/engines/databases/postgres_tables.py",
        "    \"SET LOCAL client_encoding = 'UTF8'\",\n",
        "",
        (*COPIES, "-k", "utf8"),
    ),
    one(
        "texts of a database may be any bytes",
        "dpsql/engines/databases/postgres_tables.py",
        'if encoding != "UTF8":',
        'if encoding == "MULE_INTERNAL":',
        (*COPIES, "-k", "utf8"),
    ),
    one(
        "a view of a database is copied",
        "dpsql/engines/databases/postgres_tables.py",
        '_TABLES = ("r", "p")',
        '_TABLES = ("r", "p", "v")',
        (*COPIES, "-k", "source_is_a_table"),
    ),
    one(
        "an infinite date is what Arrow makes of it",
        "dpsql/engines/databases/postgres_tables.py",
        'return f"(CASE WHEN {value} > {last} THEN {last} WHEN {value} < {first} THEN {first} ELSE {value} END)"',
        "return value",
        (*COPIES, "-k", "every_value"),
    ),
    one(
        "a numeric beyond every double ends the copy",
        "dpsql/engines/databases/postgres_tables.py",
        'return _double(value) if column.kind == "numeric" else f"{value}::float8"',
        'return f"{value}::float8"',
        (*COPIES, "-k", "every_value"),
    ),
    one(
        "a password may stand in a policy",
        "dpsql/policy/rules/sources.py",
        "    if _holds_password(address):\n",
        "    if False:\n",
        ("tests/policy/test_policy_mistakes.py", "-k", "secret"),
    ),
    one(
        "a text that looks like a number is one",
        "dpsql/engines/databases/sqlite_tables.py",
        "CASE typeof({value}) WHEN 'integer' THEN {value} WHEN",
        "CASE typeof({value}) WHEN 'integer' THEN {value} WHEN 'text' THEN CAST({value} AS INTEGER) WHEN",
        SQLITE,
    ),
    one(
        "days of SQLite with blanks around them are one key",
        "dpsql/engines/databases/sqlite_tables.py",
        "AS BLOB)) = {_DAY}",
        "AS BLOB)) >= {_DAY}",
        SQLITE,
    ),
    one(
        "a REAL beyond 64 bits is the nearest integer",
        "dpsql/engines/databases/sqlite_tables.py",
        "CASE WHEN {value} = CAST({value} AS INTEGER) THEN",
        "CASE WHEN true THEN",
        SQLITE,
    ),
    one(
        "texts of SQLite that are no UTF-8 become one key",
        "dpsql/engines/databases/sqlite_tables.py",
        "text = stored.decode()",
        'text = stored.decode(errors="replace")',
        SQLITE,
    ),
    one(
        "a row of SQLite that lacks a value stays",
        "dpsql/engines/databases/sqlite_tables.py",
        "if not column.nullable]",
        "if False]",
        SQLITE,
    ),
    one(
        "tables of a SQLite file are read in states of their own",
        "dpsql/engines/databases/sqlite_tables.py",
        '            database.execute("BEGIN")\n',
        "",
        SQLITE,
    ),
    one(
        "a view of a SQLite file is copied",
        "dpsql/engines/databases/sqlite_tables.py",
        'if kind == "view":',
        "if False:",
        SQLITE,
    ),
    one(
        "a SQLite file is opened for writing",
        "dpsql/engines/databases/sqlite_tables.py",
        "?mode=ro",
        "?mode=rwc",
        SQLITE,
    ),
)
