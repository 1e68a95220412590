"""The text that an admin fills in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dpsql.errors import PolicyError
from dpsql.policy.load import load_policy
from dpsql.policy.model import AccountantName, ColumnType, Policy
from dpsql.policy.skeleton import SourceColumn, SourceTable, skeleton

SHOP = (
    SourceTable(
        "customers",
        "shop.duckdb",
        (
            SourceColumn("customer_id", ColumnType.INTEGER, "BIGINT"),
            SourceColumn("on", ColumnType.BOOLEAN, "BOOLEAN"),
            SourceColumn("first name", ColumnType.TEXT, "VARCHAR"),
            SourceColumn("status", None, "ENUM('divorced', 'widowed')"),
            SourceColumn("a\tb", ColumnType.TEXT, "VARCHAR"),
        ),
    ),
    SourceTable("sales.orders", "my orders.csv", (SourceColumn("customer_id", ColumnType.INTEGER, "INT"),)),
    SourceTable("days", "days.parquet", (SourceColumn("größe", ColumnType.DATE, "DATE"),)),
)


def decided(text: str) -> str:
    """The skeleton after the decisions: the unit, its key in two tables, a public third, the budgets."""
    text = text.replace("  unit:\n", "  unit: customers.customer_id\n")
    text = text.replace("    unit_key:\n", "    unit_key: customer_id\n", 2)
    text = text.replace("    unit_key:\n", "    public: true\n", 1)
    text = text.replace("  analysts:\n", "  analysts: {alice: {}}\n")
    return text.replace("    epsilon:\n", "    epsilon: 1\n")


def test_a_skeleton_does_not_load_before_the_decisions_are_made(mistakes: Callable[[str], list[str]]) -> None:
    lines = mistakes(skeleton(SHOP))
    assert [line.split(": ", 2)[1] for line in lines] == [
        "privacy.unit",
        "tables.customers.unit_key",
        'tables."sales.orders".unit_key',
        "tables.days.unit_key",
        "budgets.dataset.epsilon",
        "budgets.default.epsilon",
        "budgets.analysts",
    ]
    assert all("has no value" in line for line in lines[:-1])
    assert "must be a mapping, as {alice: {}}" in lines[-1]


def test_a_skeleton_loads_once_the_decisions_are_made(load: Callable[[str], Policy]) -> None:
    policy = load(decided(skeleton(SHOP)))
    assert [t.name for t in policy.tables] == ["customers", "sales.orders", "days"]
    assert [(c.name, c.type) for c in policy.tables[0].columns] == [
        ("customer_id", ColumnType.INTEGER),
        ("on", ColumnType.BOOLEAN),
        ("first name", ColumnType.TEXT),
    ]
    assert policy.tables[1].source.path.name == "my orders.csv"
    assert policy.tables[2].public and policy.tables[2].columns[0].name == "größe"
    assert policy.accountant is AccountantName.ZCDP
    assert policy.default is not None and policy.dataset.limit.delta > 0 and policy.default.limit.delta > 0


def test_a_row_unit_is_decided_by_dropping_the_key(load: Callable[[str], Policy]) -> None:
    text = skeleton(SHOP[2:]).replace("    unit_key:\n", "").replace("  unit:\n", "  unit: days.*\n")
    assert (
        load(
            text.replace("    epsilon:\n", "    epsilon: 1\n")
            .replace("  analysts:\n", "")
            .replace("analysts: refuse", "analysts: default")
        )
        .tables[0]
        .row_is_unit
    )


def test_a_skeleton_holds_no_bounds_and_nothing_of_an_enums_values() -> None:
    text = skeleton(SHOP)
    assert "divorced" not in text and "widowed" not in text
    assert '# "status" cannot be listed: a policy has no type for ENUM' in text
    given_keys = [line for line in text.splitlines() if not line.strip().startswith("#")]
    for key in ("lower", "upper", "values", "unit_total", "max_"):
        assert not any(key in line for line in given_keys)


def test_the_commented_suggestions_are_keys_that_a_policy_has(load: Callable[[str], Policy]) -> None:
    """Uncommenting what the skeleton suggests gives a policy that loads."""
    text = decided(skeleton(SHOP[:1]))
    caps = ("max_rows_per_unit: 20", "one_row_per_unit: true", "max_rows_per_unit: 10")
    for line in (*caps, "per_query: 0.1"):
        assert f" # {line}" in text
        text = text.replace(f"# {line}", line)
    explained = [line.partition("#")[2] for line in text.splitlines() if line.startswith("    #   ")]
    suggested = [line.split("  ")[1].strip() for line in explained]
    assert len(suggested) == 8
    shop = f"{{type: integer, {suggested.pop(4)}}}"
    number = "{type: float, " + ", ".join(suggested[:3] + suggested[4:6]) + "}"
    words = "{type: text, " + ", ".join(suggested[3::3]) + "}"
    text = text.replace(
        "    columns:\n", f"    columns:\n      amount: {number}\n      letter: {words}\n      shop: {shop}\n"
    )
    text = text.replace("\nbudgets:", "\n  shops: {source: shops.csv, public: true}\nbudgets:")
    amount, letter, referring, *_ = load(text).tables[0].columns
    assert str(referring.references) == "shops.id"
    assert (amount.lower, amount.upper, amount.nullable, amount.hidden) == (0, 100, True, True)
    assert letter.values == ("a", "b") and letter.partition


def test_what_tables_have_in_common_is_explained_once_at_the_first_that_is_listed() -> None:
    unlisted = SourceTable("", "nameless.csv", (SourceColumn("a", ColumnType.TEXT, "VARCHAR"),))
    text = skeleton((unlisted, *SHOP))
    for said in ("# Who owns a row?", "# one_row_per_unit: true", "#   partition: true"):
        assert text.count(said) == 1
        assert text.index("  customers:") < text.index(said) < text.index("  days:")
    assert text.count("    unit_key:\n") == len(SHOP)


@given(st.lists(st.tuples(st.text(), st.text(), st.text(), st.sampled_from([None, *ColumnType])), max_size=3))
@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_strange_names_leave_a_skeleton_readable(
    tmp_path: Path, named: list[tuple[str, str, str, ColumnType | None]]
) -> None:
    """Only the open decisions and names that collide are complained of, never the writing of the file."""
    tables = [SourceTable(t, s + ".csv", (SourceColumn(c, k, t),)) for t, s, c, k in named]
    path = tmp_path / "policy.yaml"
    path.write_text(skeleton(tables), encoding="utf-8")
    try:
        load_policy(path)
    except PolicyError as error:
        expected = ("has no value", "given twice", "is the same name", "must be a mapping", "patterns")
        assert all(any(e in p.message for e in expected) for p in error.problems), str(error)
        assert all(p.place is not None for p in error.problems), str(error)
    else:
        raise AssertionError("a skeleton must not load")
