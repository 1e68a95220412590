"""Small defects by which catalogs would say another thing than PostgreSQL, or tell of more than the policy."""

from __future__ import annotations

from mutants.mutant import Mutant, one

VIEW = "tests/catalogs/test_client_view.py"
ORACLE = ("tests/catalogs/test_against_postgresql.py", "-m", "slow or not slow")


def view(which: str) -> tuple[str, ...]:
    """Some of the tests of what a client sees."""
    return (VIEW, "-k", which)


MUTANTS: tuple[Mutant, ...] = (
    one(
        "roles are those of every analyst",
        "dpsql/sql/system_tables/pg_objects.py",
        '    yield {"oid": ANALYST, "rolname": r.analyst, "rolcanlogin": True}\n',
        '    yield {"oid": ANALYST, "rolname": r.analyst, "rolcanlogin": True}\n'
        '    yield {"oid": ANALYST + 1, "rolname": "somebody_else", "rolcanlogin": True}\n',
        view("nobody_else"),
    ),
    one(
        "the account is remembered with the catalogs",
        "dpsql/stages/system_statement.py",
        '    return name.startswith("dpsql.")\n',
        "    return False\n",
        view("todays"),
    ),
    one(
        "a value may be the length of a series",
        "dpsql/sql/catalog_queries/catalog_sources.py",
        "        case exp.Paren() | exp.Neg() | exp.Cast():\n",
        "        case exp.Placeholder():\n            return True\n"
        "        case exp.Paren() | exp.Neg() | exp.Cast():\n",
        view("bounds_a_statement"),
    ),
    one(
        "values stay out of what is rewritten",
        "dpsql/sql/catalog_queries/catalog_query.py",
        "    bind_values(tree, given)\n",
        "",
        view("stood_in_the_text"),
    ),
    one(
        "pg_typeof of an aggregate that is written as a constant, for each row",
        "dpsql/sql/catalog_queries/catalog_query.py",
        "        if call.find(exp.AggFunc) is None:\n",
        "        if True:\n",
        view("would_be_others"),
    ),
    one(
        "another database is taken for the session's own",
        "dpsql/sql/catalog_queries/catalog_sources.py",
        "    if database is not None and database.name.lower() != own.lower():\n",
        "    if False:\n",
        view("its_own_database"),
    ),
    one(
        "columns have DuckDB's types",
        "dpsql/stages/system_statement.py",
        "    kind = pg.type\n",
        "    kind = None\n",
        ORACLE,
    ),
    one(
        "the second of two types wins",
        "dpsql/sql/catalog_queries/pg_type_rules.py",
        "        if common == UNKNOWN or (\n",
        "        if common != kind or (\n",
        ORACLE,
    ),
    one(
        "functions are shown by their numbers",
        "dpsql/sql/catalog_queries/catalog_query.py",
        "    show_functions(tree, types.stars, lookups)\n",
        "",
        ORACLE,
    ),
    one(
        "columns behind a star that have their names in the places of those before",
        "dpsql/stages/prepare.py",
        'names = (*first, *[""] * (len(columns) - len(first) - len(last)), *last)',
        'names = (*first, *last, *[""] * (len(columns) - len(first) - len(last)))',
        ORACLE,
    ),
    one(
        "a column of a union that is told as one of its first table",
        "dpsql/sql/system_tables/column_places.py",
        "[(name, NOWHERE) for name, _ in first]",
        "[(name, place) for name, place in first]",
        ORACLE,
    ),
)
"""Every one of them."""
