"""Defects in how lines of text files are kept apart."""

from __future__ import annotations

from mutants.mutant import Edit, Mutant, one

ALONE = ("tests/engines/test_csv_lines.py",)
NEIGHBOURS = ("tests/attacks/test_csv_lines.py",)

MUTANTS = (
    one(
        "a CSV file is sniffed",
        "dpsql/engines/sources/files.py",
        "        sql, _ = load_text(connection, table.name, table.source, table.source_columns)\n",
        "        sql = f\"read_csv('{table.source.path}')\"\n",
        (*NEIGHBOURS, "-k", "style or quotes_of"),
    ),
    one(
        "quotes hold lines together",
        "dpsql/engines/sources/fields.py",
        '_LINES = "SELECT unnest(string_split($1, chr(10))) AS line"',
        '_LINES = """SELECT unnest(regexp_extract_all($1 || chr(10), \'((?:"[^"]*"|[^"\\\\n])*"?)\\\\n\', 1))'
        ' AS line"""',
        ALONE,
    ),
    one(
        "lines with too few fields are filled up",
        "dpsql/engines/sources/fields.py",
        "CASE WHEN len(f) = {count} THEN f END",
        "CASE WHEN len(f) <= {count} THEN f END",
        ALONE,
    ),
    one(
        "lines with too many fields are cut off",
        "dpsql/engines/sources/fields.py",
        "CASE WHEN len(f) = {count} THEN f END",
        "CASE WHEN len(f) >= {count} THEN f END",
        ALONE,
    ),
    one(
        "one line that is no text makes the whole piece of its file none",
        "dpsql/engines/sources/lines.py",
        '        return "\\n".join(map(_line, block.split(b"\\n")))\n',
        "        return BROKEN\n",
        ALONE,
    ),
    one(
        "a byte order mark is taken off the first line alone",
        "dpsql/engines/sources/lines.py",
        'return without.removeprefix(_MARK).replace(f"\\n{_MARK}", "\\n")',
        "return without.removeprefix(_MARK)",
        ALONE,
    ),
    one(
        "a long line goes on as the next one",
        "dpsql/engines/sources/lines.py",
        "            rest = (rest + tail)[: LONGEST + 1]\n",
        '            yield rest + tail\n            rest = b""\n',
        ALONE,
    ),
    one(
        "an integer is whatever the engine casts to one",
        "dpsql/engines/sources/fields.py",
        'r"[+-]?[0-9]+(?:\\.0*)?"',
        'r".*"',
        ("tests/engines/test_csv_values.py",),
    ),
    one(
        "the engine's words for dates are dates",
        "dpsql/engines/sources/fields.py",
        '    return f"CASE WHEN regexp_full_match({trimmed}, {text_literal(pattern)}) THEN {converted} END"\n',
        "    return converted if written is not None else"
        ' f"CASE WHEN regexp_full_match({trimmed}, {text_literal(pattern)}) THEN {converted} END"\n',
        ("tests/engines/test_csv_values.py",),
    ),
    Mutant(
        "a row without a value that is needed decides whether a connection opens",
        (
            Edit(
                "dpsql/engines/sources/text_files.py",
                'kept = ["sound", *(f"({value}) IS NOT NULL" for value, column in values if not column.nullable)]',
                'kept = ["sound"]',
            ),
        ),
        NEIGHBOURS,
    ),
)
