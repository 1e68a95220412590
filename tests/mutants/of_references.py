"""Small defects of columns whose values are the keys of a public table."""

from __future__ import annotations

from mutants.mutant import one

REFERENCES = ("tests/plan/test_referenced_keys.py",)
KEYS_READ = "dpsql/engines/sources/referenced_keys.py"

MUTANTS = (
    one(
        "keys of which two rows have one",
        KEYS_READ,
        "(info.name,)) > 1:",
        "(info.name,)) > 2:",
        (*REFERENCES, "-k", "no_list"),
    ),
    one(
        "NULL taken for a key",
        KEYS_READ,
        "        if info.fact.nullable:\n",
        "        if info.fact.nullable and rows < 0:\n",
        (*REFERENCES, "-k", "no_list"),
    ),
    one(
        "a column of another type than the keys",
        KEYS_READ,
        "        if info.type is not sql_type(wanted):\n",
        "        if info.type is not sql_type(wanted) and wanted is ColumnType.BOOLEAN:\n",
        (*REFERENCES, "-k", "no_list"),
    ),
    one(
        "what is no key taken for a value of the column",
        "dpsql/algebra/catalog.py",
        "    nullable = column.nullable or column.is_listed\n",
        "    nullable = column.nullable or column.values is not None\n",
        (*REFERENCES, "-k", "null or without"),
    ),
    one(
        "texts cut before they are looked for among the keys",
        "dpsql/engines/sources/views.py",
        "None if column.is_listed else column.longest",
        "None if column.values is not None else column.longest",
        (*REFERENCES, "-k", "byte_by_byte"),
    ),
    one(
        "a check that knows one key of a table",
        "dpsql/plan/verify/cost_groups.py",
        "context.catalog.public.fan_out(listed.references.table, ())",
        "context.catalog.public.fan_out(listed.references.table, (listed.references.column,))",
        (*REFERENCES, "-k", "fewer_keys"),
    ),
    one(
        "a check that does not know how many keys there are",
        "dpsql/plan/verify/cost_groups.py",
        "    if listed is not None and listed.references is not None:",
        "    if listed is not None and listed.references is not None and listed.hidden:",
        (*REFERENCES, "-k", "fewer_keys"),
    ),
    one(
        "a long list that is looked for without its first value",
        "dpsql/algebra/scan.py",
        '        return f"SELECT unnest({list_sql(values, kind)})"\n',
        '        return f"SELECT unnest({list_sql(values[1:], kind)})"\n',
        (*REFERENCES, "-k", "looked_up"),
    ),
    one(
        "an equality of any column picks one row of a table",
        "dpsql/plan/keys/domain_sizes.py",
        " if is_key(a)]",
        "]",
        ("tests/plan/test_domain_sizes.py",),
    ),
    one(
        "two tables that pick one another are both left out",
        "dpsql/plan/keys/domain_sizes.py",
        "for s in kept if s is not source for c",
        "for s in sources if s is not source for c",
        ("tests/plan/test_domain_sizes.py",),
    ),
    one(
        "what a column references is no part of the policy's digest",
        "dpsql/policy/digest.py",
        '        Reference: (_Key("table"), _Key("column")),\n',
        '        Reference: (_Key("table"), _Key("table", name="column")),\n',
        ("tests/policy/test_digest.py",),
    ),
)
