"""How a policy says that a CSV file is read: defaults by the file's suffix, and a digest that knows what is unusual."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from dpsql.policy.date_formats import check_format, format_pattern, literal_pattern
from dpsql.policy.model import Policy
from dpsql.policy.table_sources import CsvFormat

SOURCE = "    source: countries.csv\n"
FULL = r"""    format: {delimiter: ";", quote: "'", escape: "\\", header: true, null: NA, date: "%d.%m.%Y", timestamp: "%d.%m.%y %H:%M"}
"""  # noqa: E501
Load = Callable[[str], Policy]


def form(policy: Policy) -> CsvFormat:
    return policy.tables[2].source.format


def test_a_format_is_usual_for_its_suffix_where_nothing_is_said(load: Load, shop: str) -> None:
    assert form(load(shop)) == CsvFormat(",", '"', '"', True, "", None, None)
    for name in ("countries.TSV", "countries.tsv"):
        assert form(load(shop.replace("countries.csv", name))) == CsvFormat("\t")
    assert form(load(shop.replace(SOURCE, SOURCE + '    format: {quote: "\'"}\n'))) == CsvFormat(
        quote="'", escape="'"
    )
    assert form(load(shop.replace(SOURCE, SOURCE + '    format: {quote: ""}\n'))) == CsvFormat(
        quote="", escape=""
    )


def test_every_key_of_a_format_is_read(load: Load, shop: str) -> None:
    found = form(load(shop.replace(SOURCE, SOURCE + FULL)))
    assert found == CsvFormat(";", "'", "\\", True, "NA", "%d.%m.%Y", "%d.%m.%y %H:%M")


def test_the_digest_of_a_policy_without_a_format_is_the_one_that_it_had_before_there_were_formats(
    load: Load, shop: str
) -> None:
    assert load(shop).digest == "38360d102a2a56ac081fa82787f6e7d770d58daf76c7c057bbe4db7bac55ecb3"
    assert (
        load(shop.replace("countries.csv", "countries.tsv")).digest
        == "5c53c0879db168e2c2e2e73b4d7f8bde8942b47b802b91004b1018d3793974d8"
    )


@pytest.mark.parametrize("key", ['delimiter: ","', "quote: '\"'", "header: true", 'null: ""', "escape: '\"'"])
def test_a_key_at_its_default_is_no_part_of_the_digest(load: Load, shop: str, key: str) -> None:
    assert load(shop.replace(SOURCE, f"{SOURCE}    format: {{{key}}}\n")).digest == load(shop).digest


@pytest.mark.parametrize(
    "key", ['delimiter: ";"', 'quote: "\'"', "null: NA", 'escape: "\\\\"', 'date: "%d.%m.%Y"', "quote: ''"]
)
def test_what_a_file_is_read_by_is_part_of_the_digest(load: Load, shop: str, key: str) -> None:
    assert load(shop.replace(SOURCE, f"{SOURCE}    format: {{{key}}}\n")).digest != load(shop).digest


@pytest.mark.parametrize("kind", ["float", "timestamp"])
def test_a_key_of_a_text_file_is_no_number_that_rounds(
    mistakes: Callable[[str], list[str]], shop: str, kind: str
) -> None:
    text = shop.replace("orders.parquet", "orders.csv").replace(
        "customer_id: {type: integer}", f"customer_id: {{type: {kind}}}"
    )
    (line,) = mistakes(text)
    assert "tables.orders.columns.customer_id.type: a key of a CSV file is no" in line


def test_the_owners_key_and_a_foreign_key_are_keys_too(
    mistakes: Callable[[str], list[str]], shop: str
) -> None:
    text = shop.replace("shop.duckdb", "customers.csv").replace("orders.parquet", "orders.csv")
    text = text.replace("customer_id: {type: integer}", "customer_id: {type: float}")
    text = text.replace(
        "    unit_key: customer_id\n    max_rows",
        "    unit_path: {customer_id: customers.customer_id}\n    max_rows",
    )
    assert [line.split(": ")[1] for line in mistakes(text)] == [
        "tables.customers.columns.customer_id.type",
        "tables.orders.columns.customer_id.type",
    ]


def test_a_format_of_moments_is_checked_and_becomes_a_pattern() -> None:
    check_format("100%% %d %b %y", clock=False)
    assert format_pattern("%d.%Y") == r"[0-9]{1,2}\x{2E}[0-9]{4}"
    assert literal_pattern("é'") == r"\x{E9}\x{27}"
    with pytest.raises(ValueError, match="control"):
        check_format("%Y-%m-%d\t", clock=False)
