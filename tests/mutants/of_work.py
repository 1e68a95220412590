"""Small defects of what keeps the work of a query from depending on one unit."""

from __future__ import annotations

from mutants.mutant import one

MATCHES = ("tests/attacks/test_attacks.py", "-k", "joins")

LONG = ("tests/engines/test_long_answers.py",)

MUTANTS = (
    one(
        "rows that meet inside of a per-unit aggregate are not counted",
        "dpsql/plan/keys/join_fan_out.py",
        "Windows(source=source):\n                yield from _roots(source)\n",
        "Windows(source=source):\n                yield from ()\n",
        MATCHES,
    ),
    one(
        "a unit may decide by its number of rows whether a join is finished",
        "dpsql/plan/keys/join_fan_out.py",
        "replace(info, rows_per_unit=TAKEN)",
        "info",
        MATCHES,
    ),
    one(
        "days of a column that are read as another day of it",
        "dpsql/engines/codecs/codec.py",
        "    made = {cell: None if cell is None else change(cell) for cell in set(cells)}\n",
        "    made = dict.fromkeys(cells, change(next(c for c in cells if c is not None)))\n",
        ("tests/engines/test_codec.py",),
    ),
    one(
        "how many groups there are shows in a reply that is too large",
        "dpsql/engines/codecs/codec.py",
        '    if kind != "private":\n        return USUAL\n',
        "    if kind:\n        return USUAL\n",
        ("tests/engines/test_contract.py", "-k", "any_length"),
    ),
    one(
        "an answer that is read whole, however many rows it has",
        "dpsql/engines/public_engine.py",
        ' LIMIT {MOST_ROWS + 1}"  #',
        '"  #',
        LONG,
    ),
    one(
        "texts of a child's columns that may take any memory",
        "dpsql/engines/codecs/codec.py",
        "if kind != _COLUMNS or texts_in(heads) > most.text:",
        "if kind != _COLUMNS:",
        LONG,
    ),
    one(
        "a child's column with another number of texts than rows",
        "dpsql/engines/codecs/column_codec.py",
        'if data.count(b"\\0") != count or (data and data[-1]):',
        "if data and data[-1]:",
        LONG,
    ),
    one(
        "a child's day that is none of Python's",
        "dpsql/engines/codecs/column_codec.py",
        "    if not within_dates(kind, numbers):\n        raise NotColumns\n",
        "",
        LONG,
    ),
)
