"""Which tables seem to be owned by another thing than the unit, and what `init` proposes: by names and types alone."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from dpsql.errors import PolicyError
from dpsql.policy.load import load_policy
from dpsql.policy.model import ColumnType, Policy
from dpsql.policy.naming.key_names import NamedColumn, NamedTable, named_by, singular, words
from dpsql.policy.naming.proposed_paths import proposed_paths
from dpsql.policy.naming.suspected_units import suspected_units
from dpsql.policy.skeleton import SourceColumn, SourceTable, skeleton

ROOT = Path(__file__).parents[2]
Tables = dict[str, tuple[str, ...]]


def policy_of(unit: str, tables: Tables, keys: dict[str, str], types: dict[str, str] | None = None) -> str:
    """A policy of these tables, whose columns are integers unless `types` says otherwise."""
    text = f"version: 1\nprivacy: {{unit: {unit}}}\ntables:\n"
    for table, columns in tables.items():
        owner = f"unit_key: {keys[table]}, " if table in keys else ""
        owner = "public: true, " if keys.get(table) == "public" else owner
        listed = ", ".join(f"{c}: {{type: {(types or {}).get(c, 'integer')}}}" for c in columns)
        text += f"  {table}: {{source: {table}.parquet, {owner}columns: {{{listed}}}}}\n"
    return text + "budgets: {dataset: {epsilon: 1}, default: {epsilon: 1}}\n"


HOSPITAL: Tables = {
    "patients": ("patient_id", "age"),
    "visits": ("visit_id", "patient_id"),
    "diagnoses": ("visit_id", "code"),
}
# What is written in the place of the key, by the tables and the key that each has.
TRAPS: dict[str, tuple[str, Tables, dict[str, str], str]] = {
    "another private table's key": (
        "patients.patient_id",
        HOSPITAL,
        {"visits": "patient_id", "diagnoses": "visit_id"},
        "`unit_path: {visit_id: visits.visit_id}`",
    ),
    "another table's key, beside the unit's": (
        "patients.patient_id",
        HOSPITAL | {"diagnoses": ("visit_id", "patient_id")},
        {"visits": "patient_id", "diagnoses": "visit_id"},
        "`unit_key: patient_id`, or, in its place, `unit_path: {visit_id: visits.visit_id}`",
    ),
    "its own rows' key": (
        "patients.patient_id",
        {"patients": ("patient_id",), "visits": ("visit_id", "patient_id")},
        {"visits": "visit_id"},
        "each row would be protected as if it were a unit of its own; if so, write `unit_key: patient_id`",
    ),
    "its own rows' key, which is called as the unit's": (
        "patients.id",
        {"patients": ("id",), "visits": ("id", "patient_id")},
        {"visits": "id"},
        "`unit_key: patient_id`",
    ),
    "a key of something that is not listed": (
        "patients.patient_id",
        {"patients": ("patient_id",), "diagnoses": ("visit_id", "code")},
        {"diagnoses": "visit_id"},
        "`unit_path: {visit_id: that_table.visit_id}`",
    ),
    "a public table's key": (
        "customers.id",
        {"customers": ("id",), "products": ("id", "price"), "orders": ("productId", "customerId")},
        {"products": "public", "orders": "productId"},
        "`unit_key: customerId`",
    ),
    "as TPC-H writes names": (
        "customer.c_custkey",
        {
            "customer": ("c_custkey",),
            "orders": ("o_orderkey", "o_custkey"),
            "lineitem": ("l_orderkey", "l_tax"),
        },
        {"orders": "o_custkey", "lineitem": "l_orderkey"},
        "`unit_path: {l_orderkey: orders.o_orderkey}`",
    ),
    "a key of the unit's table that is not the unit": (
        "patients.mrn",
        {"patients": ("mrn", "patient_id"), "visits": ("patient_id", "cost")},
        {"visits": "patient_id"},
        "`unit_path: {patient_id: patients.patient_id}`",
    ),
}
FINE: dict[str, tuple[str, Tables, dict[str, str]]] = {
    "the unit's column with its table's name": (
        "customers.id",
        {"customers": ("id",), "orders": ("id", "customer_id")},
        {"orders": "customer_id"},
    ),
    "in other spellings": (
        "dim_customers.customer_key",
        {"dim_customers": ("customer_key",), "fact_orders": ("order_key", "CustomerKey", "CustomerID")},
        {"fact_orders": "CustomerID"},
    ),
    "in short": (
        "customers.id",
        {"customers": ("id",), "orders": ("order_id", "cust_no")},
        {"orders": "cust_no"},
    ),
    "another word for a person": (
        "customers.id",
        {"customers": ("id",), "reviews": ("review_id", "user_id"), "returns": ("buyer",)},
        {"reviews": "user_id", "returns": "buyer"},
    ),
    "not called a key": (
        "patients.mrn",
        {"patients": ("mrn",), "visits": ("visit_id", "patient")},
        {"visits": "patient"},
    ),
    "the same short name in every table": (
        "persons.id",
        {"persons": ("id", "age"), "wave_one": ("id", "answer"), "wave_two": ("id",)},
        {"wave_one": "id", "wave_two": "id"},
    ),
    "the unit stands in a table of its rows": (
        "salaries.emp_no",
        {"salaries": ("emp_no", "salary"), "employees": ("emp_no", "hired")},
        {"employees": "emp_no"},
    ),
    "every row is a unit": ("visits.*", {"visits": ("visit_id",)}, {}),
}


# Schemas that many know: the unit, the tables with the right key of each, and a key that would be wrong for one.
KNOWN: dict[str, tuple[str, Tables, dict[str, str], tuple[str, str, str]]] = {
    "Chinook": (
        "Customer.CustomerId",
        {"Customer": ("CustomerId", "SupportRepId"), "Invoice": ("InvoiceId", "CustomerId", "Total"),
         "Track": ("TrackId", "AlbumId")},
        {"Invoice": "CustomerId", "Track": "public"},
        ("InvoiceLine", "InvoiceId", "`unit_path: {InvoiceId: Invoice.InvoiceId}`"),
    ),
    "Sakila": (
        "customer.customer_id",
        {"customer": ("customer_id", "store_id"), "rental": ("rental_id", "customer_id", "inventory_id")},
        {"rental": "customer_id"},
        ("payment", "rental_id", "`unit_path: {rental_id: rental.rental_id}`"),
    ),
    "Stack Overflow": (
        "Users.Id",
        {"Users": ("Id", "Reputation"), "Posts": ("Id", "OwnerUserId", "Score"), "Badges": ("Id", "UserId")},
        {"Posts": "OwnerUserId", "Badges": "UserId"},
        ("Comments", "PostId", "`unit_path: {PostId: Posts.Id}`"),
    ),
    "OMOP": (
        "person.person_id",
        {"person": ("person_id",), "visit_occurrence": ("visit_occurrence_id", "person_id"),
         "drug_exposure": ("drug_exposure_id", "person_id")},
        {"visit_occurrence": "person_id", "drug_exposure": "person_id"},
        ("note", "visit_occurrence_id", "`unit_path: {visit_occurrence_id: visit_occurrence.visit_occurrence_id}`"),
    ),
    "MIMIC": (
        "patients.subject_id",
        {"patients": ("subject_id", "anchor_age"), "admissions": ("hadm_id", "subject_id")},
        {"admissions": "subject_id"},
        ("labevents", "hadm_id",
         "is unique in admissions, write in its place `unit_path: {hadm_id: admissions.hadm_id}`"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("schema", KNOWN)
def test_known_schemas_are_fine_and_their_traps_are_found(load: Callable[[str], Policy], schema: str) -> None:
    unit, tables, keys, (table, wrong, instead) = KNOWN[schema]
    assert suspected_units(load(policy_of(unit, tables, keys))) == ()
    with_trap = tables | {table: (wrong, "amount")}
    (found,) = suspected_units(load(policy_of(unit, with_trap, keys | {table: wrong})))
    assert (found.table, str(found).endswith(instead)) == (table, True), str(found)


@pytest.mark.parametrize("case", TRAPS)
def test_a_key_that_names_another_thing_is_suspected(load: Callable[[str], Policy], case: str) -> None:
    unit, tables, keys, instead = TRAPS[case]
    (found,) = suspected_units(load(policy_of(unit, tables, keys)))
    assert found.table == list(tables)[-1]
    assert str(found).endswith(instead)
    assert f"like {unit}: each" in str(found)


@pytest.mark.parametrize("case", FINE)
def test_a_key_that_may_name_the_unit_is_not(load: Callable[[str], Policy], case: str) -> None:
    assert suspected_units(load(policy_of(*FINE[case]))) == ()


def test_a_key_of_another_type_is_not_proposed(load: Callable[[str], Policy]) -> None:
    """The key of visits is a text there, so that it is not what the integers of diagnoses lead to."""
    tables = HOSPITAL | {"visits": ("visit_id", "patient_id")}
    text = policy_of("patients.patient_id", tables, {"visits": "patient_id", "diagnoses": "visit_id"})
    other = text.replace("visits.parquet, unit_key: patient_id, columns: {visit_id: {type: integer}", "visits.parquet,"
                         " unit_key: patient_id, columns: {visit_id: {type: text}")  # fmt: skip
    (found,) = suspected_units(load(other))
    assert "that_table.visit_id" in str(found)


def test_a_key_that_two_tables_hold_is_not_proposed(load: Callable[[str], Policy]) -> None:
    unit, tables, keys, (table, wrong, _) = KNOWN["MIMIC"]
    tables = tables | {"transfers": ("hadm_id", "subject_id"), table: (wrong, "amount")}
    (found,) = suspected_units(
        load(policy_of(unit, tables, keys | {"transfers": "subject_id", table: wrong}))
    )
    assert "that_table.hadm_id" in str(found)


@pytest.mark.parametrize("holders", [("sessions",), ("sessions", "visits"), ()])
def test_a_key_of_another_type_than_the_units_says_which_path_may_be_meant(
    load: Callable[[str], Policy], holders: tuple[str, ...]
) -> None:
    tables: Tables = {"users": ("user_id",), **dict.fromkeys(holders, ("session_id", "user_id"))}
    tables |= {"views": ("session_id", "page")}
    keys = dict.fromkeys(holders, "user_id") | {"views": "session_id"}
    with pytest.raises(PolicyError) as raised:
        load(policy_of("users.user_id", tables, keys, {"user_id": "text"}))
    said = str(raised.value)
    assert "session_id is integer, but users.user_id is text" in said
    path = "`unit_path: {session_id: sessions.session_id}`"
    assert said.endswith(f"; where rows belong to those of sessions, write in its place {path}") == (
        len(holders) == 1
    ) and ("unit_path" in said) == (len(holders) == 1)


def test_a_key_of_another_type_beside_the_units_says_so(load: Callable[[str], Policy]) -> None:
    tables: Tables = {"users": ("user_id",), "sessions": ("session_id", "user_id")}
    with pytest.raises(PolicyError, match=r"but users\.user_id is text; write `unit_key: user_id`$"):
        load(policy_of("users.user_id", tables, {"sessions": "session_id"}, {"user_id": "text"}))


def test_a_key_that_a_path_leads_to_is_one_whatever_it_is_called(load: Callable[[str], Policy]) -> None:
    tables: Tables = {
        "patients": ("person",),
        "stays": ("stay", "person"),
        "notes": ("stay",),
        "bills": ("stay",),
    }
    text = policy_of("patients.person", tables, {"stays": "person", "notes": "stay", "bills": "stay"})
    assert suspected_units(load(text)) == ()  # `stay` may be a word for a person
    path = text.replace("notes.parquet, unit_key: stay", "notes.parquet, unit_path: {stay: stays.stay}")
    (found,) = suspected_units(load(path))
    assert found.table == "bills" and str(found).endswith("`unit_path: {stay: stays.stay}`")


def test_what_is_proposed_loads_and_is_not_suspected(load: Callable[[str], Policy]) -> None:
    keys = {"visits": "patient_id", "diagnoses": "visit_id"}
    text = policy_of("patients.patient_id", HOSPITAL, keys)
    changed = text.replace("unit_key: visit_id", "unit_path: {visit_id: visits.visit_id}")
    assert changed != text and suspected_units(load(changed)) == ()


def test_no_policy_of_the_project_is_suspected(tmp_path: Path) -> None:
    """Policies beside the code, in docs and in examples; a page's pieces that do not load are no policies."""
    pages = [*ROOT.glob("docs/*.md"), ROOT / "README.md"]
    texts = [t for page in pages for t in re.findall(r"```yaml\n(.*?)```", page.read_text(), flags=re.DOTALL)]
    texts += [p.read_text() for p in (*ROOT.glob("policies/**/*.yaml"), *ROOT.glob("examples/**/*.yaml"))]
    loaded = 0
    for text in texts:
        (tmp_path / "policy.yaml").write_text(text)
        try:
            policy = load_policy(tmp_path / "policy.yaml")
        except PolicyError:
            continue
        assert suspected_units(policy) == (), text
        loaded += 1
    assert loaded > 4


def test_the_words_of_names() -> None:
    assert words("VisitID") == words("visit_id") == ("visit", "id")
    assert singular("clinic.dim_Diagnoses") != () and singular("addresses") == ("address",)
    assert singular("people") == ("person",) and singular("companies") == ("company",)
    assert [named_by(NamedColumn("visits", n, None)) for n in ("id", "VisitNo", "o_custkey", "paid")] == [
        ("visit",),
        ("visit",),
        ("cust",),
        ("paid",),
    ]


def tables_of(tables: Tables) -> list[NamedTable]:
    typed = {
        n: tuple(NamedColumn(n, c, ColumnType.INTEGER) for c in columns) for n, columns in tables.items()
    }
    return [NamedTable(n, columns) for n, columns in typed.items()]


def proposals(tables: Tables) -> dict[str, str]:
    paths = proposed_paths(tables_of(tables))
    return {n: f"{c.name}: {k.table}.{k.name}" for n, (c, k) in paths.items()}


def test_a_path_is_proposed_where_names_lead_to_a_person_over_another_table() -> None:
    shop: Tables = {
        "customers": ("id", "country_id"),
        "countries": ("id",),
        "products": ("id",),
        "orders": ("id", "customer_id", "employee_id"),
        "order_items": ("order_id", "product_id"),
        "refunds": ("order_item_id",),
    }
    assert proposals(HOSPITAL) == {"diagnoses": "visit_id: visits.visit_id"}
    assert proposals(shop) == {"order_items": "order_id: orders.id"}
    assert proposals(HOSPITAL | {"diagnoses": ("visit_id", "patient_id")}) == {}
    assert (
        proposals(HOSPITAL | {"stays": ("stay_id", "patient_id"), "diagnoses": ("visit_id", "stay_id")}) == {}
    )
    assert proposals({"sites": ("id",), "visits": ("id", "site_id"), "notes": ("visit_id",)}) == {}
    assert proposals({"as": ("a_id", "b_id"), "bs": ("b_id", "a_id")}) == {}


def test_tables_that_all_lead_to_one_another_are_looked_at_in_no_time() -> None:
    """Every way through them would be more than anybody waits for."""
    everywhere = tuple(f"thing{i}_id" for i in range(40))
    assert proposals({f"thing{i}s": ("id", *everywhere) for i in range(40)}) == {}


def test_a_skeleton_has_the_paths_that_its_names_say(load: Callable[[str], Policy]) -> None:
    sources = [
        SourceTable(n, f"{n}.parquet", tuple(SourceColumn(c, ColumnType.INTEGER, "INT") for c in columns))
        for n, columns in HOSPITAL.items()
    ]
    text = skeleton(sources)
    assert text.count("`unit_path: {visit_id: visits.visit_id}`") == 1
    decided = text.replace("  unit:\n", "  unit: patients.patient_id\n").replace(
        "    unit_key:\n", "    unit_key: patient_id\n"
    )
    decided = decided.replace("  analysts:\n", "  analysts: {alice: {}}\n")
    policy = load(decided.replace("    epsilon:\n", "    epsilon: 1\n"))
    path = policy.tables[2].unit_path
    assert path is not None and (path.column, path.table, path.key) == ("visit_id", "visits", "visit_id")
