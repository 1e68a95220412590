"""What a good policy means."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from fractions import Fraction
from pathlib import Path

import pytest

from dpsql.policy.load import load_policy
from dpsql.policy.model import AccountantName, ColumnType, Dataset, Policy, Table, Window
from dpsql.policy.table_sources import SourceKind
from dpsql.privacy import Cost, Neighbours

Load = Callable[[str], Policy]
MILLIONTH = Fraction(1, 10**6)


def table(policy: Policy, name: str) -> Table:
    found = policy.table(name)
    assert found is not None
    return found


def test_the_shop_policy_is_read_exactly(load: Load, shop: str, tmp_path: Path) -> None:
    policy = load(shop)
    assert policy.path == tmp_path / "policy.yaml"
    assert policy.privacy.unit == "customers.customer_id"
    assert policy.privacy.neighbours is Neighbours.ADD_REMOVE
    assert policy.privacy.max_rows_per_unit == 20
    assert [t.name for t in policy.tables] == ["customers", "orders", "countries"]
    assert policy.accountant is AccountantName.APPROX
    assert policy.dataset == Dataset(Cost(Fraction(50), Fraction(1, 10**6)), Window.NEVER, "main")
    assert policy.default is not None
    assert policy.default.limit == Cost(Fraction(1), Fraction(1, 10**7))
    assert policy.default.per_query == Cost(Fraction(1, 10), Fraction(1, 10**8))
    alice = policy.budget("alice")
    assert alice is not None and alice.limit.epsilon == 10
    assert alice.per_query == Cost(Fraction(1, 2), Fraction(1, 2 * 10**8))
    assert policy.budget("bob") == policy.default


def test_columns_keep_exact_typed_values(load: Load, shop: str) -> None:
    orders = table(load(shop), "ORDERS")
    amount, day, product = (orders.column(n) for n in ("amount", "Day", "product"))
    assert amount is not None and day is not None and product is not None
    assert (amount.type, amount.lower, amount.upper) == (ColumnType.FLOAT, Fraction(0), Fraction(500))
    assert type(amount.lower) is Fraction
    assert (amount.step, amount.unit_total) == (Fraction(1, 100), Fraction(2000))
    assert (day.lower, day.upper) == (date(2025, 1, 1), date(2025, 12, 31))
    assert (product.lower, product.values, product.nullable, product.hidden) == (None, None, False, False)
    customers = table(load(shop), "customers")
    age, country, email = (customers.column(n) for n in ("age", "country", "email"))
    assert age is not None and country is not None and email is not None
    assert (age.lower, type(age.lower)) == (18, int)
    assert country.values == ("DE", "FR", "IT") and country.nullable
    assert email.hidden


def test_keys_and_caps_are_the_tables_own(load: Load, shop: str) -> None:
    policy = load(shop)
    customers, orders, countries = policy.tables
    assert (customers.unit_key, customers.one_row_per_unit) == ("customer_id", True)
    assert not any(t.row_is_unit for t in policy.tables)
    assert (orders.unit_key, orders.max_rows_per_unit, orders.one_row_per_unit) == ("customer_id", 10, False)
    assert (countries.public, countries.unit_key, countries.columns) == (True, None, ())


def test_the_units_own_table_needs_no_unit_key(load: Load, shop: str) -> None:
    text = shop.replace("    unit_key: customer_id\n    one_row_per_unit", "    one_row_per_unit")
    assert table(load(text), "customers").unit_key == "customer_id"


def test_names_in_any_case_are_resolved_to_their_listed_spelling(load: Load, shop: str) -> None:
    text = shop.replace("unit: customers.customer_id", "unit: CUSTOMERS.Customer_ID")
    text = text.replace("unit_key: customer_id", "unit_key: CUSTOMER_ID")
    policy = load(text)
    assert policy.privacy.unit == "customers.customer_id"
    assert policy == load(shop)


def test_every_row_is_a_unit_under_a_star(load: Load) -> None:
    policy = load(
        "version: 1\nprivacy: {unit: fair.*}\n"
        "tables: {fair: {source: fair.pq, columns: {age: {type: float, lower: 17.5, upper: 42}}}}\n"
        "budgets: {dataset: {epsilon: 1}, default: {epsilon: 1}}\n"
    )
    fair = policy.tables[0]
    assert (fair.row_is_unit, fair.one_row_per_unit, fair.unit_key) == (True, True, None)
    assert policy.accountant is AccountantName.APPROX
    assert policy.dataset.limit.delta == 0


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("shop.duckdb", SourceKind.DUCKDB),
        ("shop.db", SourceKind.DUCKDB),
        ("sub/shop.DDB", SourceKind.DUCKDB),
        ("x.parquet", SourceKind.PARQUET),
        ("x.pq", SourceKind.PARQUET),
        ("x.csv", SourceKind.CSV),
        ("../x.csv.gz", SourceKind.CSV),
        ("x.tsv", SourceKind.CSV),
    ],
)
def test_a_sources_suffix_decides_its_kind_and_its_path_is_relative_to_the_policy(
    load: Load, shop: str, tmp_path: Path, source: str, kind: SourceKind
) -> None:
    found = table(load(shop.replace("orders.parquet", source)), "orders").source
    assert found.kind is kind and found.table == "orders"
    assert found.path == (tmp_path / source).resolve() and found.path.is_absolute()


def test_a_tables_schema_is_not_part_of_its_name_in_the_source(load: Load, shop: str) -> None:
    text = shop.replace("  orders:\n", "  sales.orders:\n").replace("orders.parquet", "shop.duckdb")
    assert table(load(text), "sales.orders").source.table == "orders"


def test_a_unit_of_a_table_in_a_schema_is_found(load: Load, shop: str) -> None:
    text = shop.replace("  customers:\n", "  crm.customers:\n")
    text = text.replace("unit: customers", "unit: crm.customers")
    assert load(text).privacy.unit == "crm.customers.customer_id"


def test_integer_bounds_in_scientific_notation_are_whole_numbers(load: Load, shop: str) -> None:
    age = table(load(shop.replace("upper: 90", "upper: 1e3")), "customers").column("age")
    assert age is not None and age.upper == 1000 and type(age.upper) is int


def test_timestamps_booleans_and_dates_have_their_values(load: Load, shop: str) -> None:
    text = shop.replace(
        "      product: {type: integer}\n",
        "      at: {type: timestamp, lower: 2025-01-01 00:00:00, upper: 2025-12-31T23:59:59.5}\n"
        "      gift: {type: boolean, values: [true, false]}\n"
        "      holiday: {type: date, values: [2025-12-25, 2025-12-26]}\n"
        "      note: {type: text, values: ['no', \"1\", '2025-01-01', plain text]}\n",
    )
    orders = table(load(text), "orders")
    at, gift, holiday, note = orders.columns[-4:]
    assert (at.lower, at.upper) == (datetime(2025, 1, 1), datetime(2025, 12, 31, 23, 59, 59, 500000))
    assert gift.values == (True, False)
    assert holiday.values == (date(2025, 12, 25), date(2025, 12, 26))
    assert note.values == ("no", "1", "2025-01-01", "plain text")


@pytest.mark.parametrize(
    ("grant", "per_query"),
    [
        ("{epsilon: 2, delta: 1e-6}", Cost(Fraction(1, 5), Fraction(1, 10**7))),
        ("{epsilon: 3, delta: 1e-18, per_query: 1}", Cost(Fraction(1), Fraction(0))),
        ("{epsilon: 1e-9}", Cost(Fraction(1, 10**9))),
        ("{epsilon: 1e-8}", Cost(Fraction(1, 10**9))),
        ("{epsilon: 2, delta: 1e-6, per_query: {epsilon: 1}}", Cost(Fraction(1), Fraction(1, 2 * 10**6))),
        ("{epsilon: 2, delta: 1e-6, per_query: {epsilon: 1, delta: 0}}", Cost(Fraction(1))),
        ("{epsilon: 2, delta: 1e-6, per_query: {epsilon: 1, delta: 1e-6}}", Cost(Fraction(1), MILLIONTH)),
        ("{epsilon: 2, delta: 1e-6, per_query: 2}", Cost(Fraction(2), MILLIONTH)),
    ],
)
def test_per_query_defaults_to_a_tenth_and_its_delta_to_the_proportion(
    load: Load, shop: str, grant: str, per_query: Cost
) -> None:
    budget = load(shop.replace("{epsilon: 10, delta: 1e-7, per_query: 0.5}", grant)).budget("alice")
    assert budget is not None and budget.per_query == per_query


def test_analysts_are_stored_folded_and_default_may_be_missing(load: Load, shop: str) -> None:
    text = shop.replace("    alice:", "    Ａlice Müller:").replace(
        "  default: {epsilon: 1, delta: 1e-7, per_query: 0.1}\n", ""
    )
    policy = load(text)
    assert [name for name, _ in policy.analysts] == ["alice müller"]
    assert policy.default is None and policy.budget("bob") is None


def test_budgets_places_and_comments_do_not_change_the_digest(load: Load, shop: str, tmp_path: Path) -> None:
    first = load(shop)
    moved = tmp_path / "elsewhere"
    moved.mkdir()
    other = shop
    for old, new in (
        ("epsilon: 50", "epsilon: 60"),
        ("alice", "bob"),
        ("step: 0.01", "step: 1e-2"),
        ("# verified, not believed", ""),
        ("{type: integer}", "{type: integer, hidden: false}"),
    ):
        assert old in other
        other = other.replace(old, new)
    (moved / "p.yaml").write_text(other)
    assert load_policy(moved / "p.yaml").digest == first.digest
    assert len(first.digest) == 64 and int(first.digest, 16) >= 0


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("upper: 500", "upper: 501"),
        ("add_remove ", "substitute "),
        ("max_rows_per_unit: 20", "max_rows_per_unit: 21"),
        ("max_rows_per_unit: 10", "max_rows_per_unit: 11"),
        ("orders.parquet", "orders2.parquet"),
        ("orders.parquet", "orders.csv"),
        ("nullable: true", "nullable: false"),
        ("step: 0.01", "step: 0.02"),
        ("unit_total: 2000", "unit_total: 2001"),
        ("[DE, FR, IT]", "[DE, FR, ES]"),
        ("product: {type: integer}", "product: {type: text}"),
        ("hidden: true", "hidden: false"),
        ("one_row_per_unit: true", "one_row_per_unit: false"),
        ("lower: 2025-01-01", "lower: 2025-01-02"),
        ("    public: true", "    public: true\n    columns: {a: {type: text}}"),
    ],
)
def test_what_bears_on_privacy_changes_the_digest(load: Load, shop: str, old: str, new: str) -> None:
    assert old in shop
    assert load(shop.replace(old, new)).digest != load(shop).digest


def test_quoted_numbers_stay_text_and_a_byte_order_mark_is_skipped(load: Load, shop: str) -> None:
    text = "\ufeff" + shop.replace("[DE, FR, IT]", "['1', '01', '1.0']")
    country = table(load(text), "customers").column("country")
    assert country is not None and country.values == ("1", "01", "1.0")


@pytest.mark.parametrize("name", ["fair.yaml", "cdnow.yaml"])
def test_the_example_policies_load(name: str) -> None:
    assert load_policy(Path(__file__).parents[2] / "policies" / name).tables


def test_windows_roles_and_the_datasets_name_are_read(load: Load, shop: str) -> None:
    text = shop.replace("epsilon: 50, delta: 1e-6", "epsilon: 50, delta: 1e-6, window: monthly, name: shop-1")
    text = text.replace("per_query: 0.5}", "per_query: 0.5, window: weekly}")
    grant = "epsilon: 5, delta: 1e-7, per_query: 0.2, window: daily"
    roles = f"  roles:\n    Sales: {{{grant}, members: [ALICE, dora]}}\n"
    policy = load(text.replace("accountant:", f"{roles}accountant:"))
    assert (policy.dataset.window, policy.dataset.name) == (Window.MONTHLY, "shop-1")
    alice, sales = policy.budget("alice"), policy.role("alice")
    assert alice is not None and (alice.window, alice.limit.epsilon) == (Window.WEEKLY, 10)
    assert sales is not None and (sales.name, sales.members) == ("sales", ("alice", "dora"))
    assert (sales.budget.window, sales.budget.limit.epsilon) == (Window.DAILY, 5)
    assert policy.role("dora") == sales and policy.budget("dora") == sales.budget
    assert policy.role("bob") is None and policy.budget("bob") == policy.default


def test_budgets_do_not_change_what_a_policy_is(load: Load, shop: str) -> None:
    other = shop.replace("epsilon: 50, delta: 1e-6", "epsilon: 5, delta: 1e-6, window: daily")
    roles = "  roles: {sales: {epsilon: 5, members: [alice]}}\n"
    assert load(other.replace("accountant:", f"{roles}accountant:")).digest == load(shop).digest
