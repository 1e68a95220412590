"""The admin's commands: check, init and refresh."""

from __future__ import annotations

import json
from contextlib import closing
from datetime import datetime
from pathlib import Path

import duckdb
import pytest
import yaml

import dpsql
from dpsql import errors
from dpsql.interfaces.cli import admin, lint
from dpsql.policy.load import load_policy
from dpsql.policy.schema import json_schema

POLICY = """\
version: 1
privacy:
  unit: orders.customer
  max_rows_per_unit: 5
tables:
  orders:
    source: orders.parquet
    unit_key: customer
    columns:
      customer: {type: integer}
      amount: {type: float, lower: 0, upper: 500, step: 0.01}
      region: {type: text, values: [north, south]}
budgets:
  dataset: {epsilon: 2, delta: 1e-6}
  default: {epsilon: 1, delta: 1e-7, per_query: 0.1}
"""


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    duckdb.execute(
        "COPY (SELECT 1 AS customer, 2.5::DOUBLE AS amount, 'north' AS region) "
        f"TO '{tmp_path / 'orders.parquet'}'"
    )
    (tmp_path / "shop.yaml").write_text(POLICY)
    return tmp_path / "shop.yaml"


def rewrite(policy: Path, *changes: tuple[str, str]) -> str:
    text = policy.read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    policy.write_text(text)
    return str(policy)


def test_a_policy_without_mistakes_is_ok(run, policy):
    result = run("check", str(policy))
    assert (result.exit_code, result.stdout, result.stderr) == (
        0,
        f"{policy}: ok, 1 private table, 0 public tables\n",
        "",
    )


def test_every_mistake_is_printed_with_its_place(run, policy):
    result = run("check", rewrite(policy, ("upper: 500", "uper: 500"), ("version: 1", "version: 7")))
    assert result.exit_code == 1 and result.stdout == ""
    assert f"{policy}:1:" in result.stderr and f"{policy}:11:" in result.stderr and "upper" in result.stderr


def test_a_column_that_the_source_lacks_is_a_mistake(run, policy):
    result = run("check", rewrite(policy, ("      amount:", "      amuont:")))
    assert result.exit_code == 1
    assert "tables.orders.columns.amuont: the source has no such column" in result.stderr


def test_values_that_are_not_on_a_list_are_counted(run, policy):
    changed = rewrite(policy, ("values: [north, south]", "values: [south]"))
    result = run("check", changed)
    assert result.exit_code == 0
    told = "tables.orders.columns.region: 1 value is not on its list and read as NULL"
    assert result.stderr == f"warning: {told}\n"


def test_the_keys_that_a_column_references_are_looked_at(run, policy):
    made = "COPY (SELECT unnest(['south', 'east']) AS region) TO '{}'"
    duckdb.execute(made.format(policy.parent / "regions.parquet"))
    public = "  regions: {source: regions.parquet, public: true}\nbudgets:"
    changed = ("values: [north, south]", "references: regions.region"), ("budgets:", public)
    result = run("check", rewrite(policy, *changed))
    assert result.exit_code == 0 and result.stdout.endswith("1 private table, 1 public table\n")
    assert "1 value is not among the keys regions.region and read as NULL" in result.stderr
    duckdb.execute(made.format(policy.parent / "regions.parquet").replace("'east'", "'south'"))
    result = run("check", str(policy))
    assert result.exit_code == 1 and result.stdout == ""
    at = "tables.orders.columns.region.references"
    assert f"{at}: regions.region is not unique: two rows have one value of it" in result.stderr


def test_a_source_that_cannot_be_read_is_a_mistake(run, policy):
    (policy.parent / "orders.parquet").write_bytes(b"nonsense")
    result = run("check", str(policy))
    assert result.exit_code == 1 and "cannot be read as a parquet file" in result.stderr


def test_a_table_that_a_database_lacks_is_a_mistake(run, policy):
    with duckdb.connect(str(policy.parent / "shop.duckdb")) as connection:
        connection.execute("CREATE TABLE others (customer INT)")
    result = run("check", rewrite(policy, ("orders.parquet", "shop.duckdb")))
    assert result.exit_code == 1 and "tables.orders" in result.stderr


def test_what_is_wrong_with_the_data_has_its_line_in_the_policy(run, policy):
    changed = rewrite(
        policy, ("    unit_key: customer\n", "    unit_key: customer\n    one_row_per_unit: true\n")
    )
    made = "COPY (SELECT 1 AS customer, 2.5::DOUBLE AS amount, 'north' AS region FROM range(2)) TO '{}'"
    duckdb.execute(made.format(policy.parent / "orders.parquet"))
    result = run("check", changed)
    assert result.exit_code == 1
    assert result.stderr.endswith(
        f"{policy}:9:23: tables.orders.one_row_per_unit: a unit owns more than one row\n"
    )
    result = run(
        "check",
        rewrite(policy, ("type: float", "type: date"), ("lower: 0, upper: 500, step: 0.01", "hidden: true")),
    )
    assert f"{policy}:12:7: tables.orders.columns.amount: the source has DOUBLE" in result.stderr


def test_a_policy_is_called_what_the_admin_called_it_also_where_the_data_is_at_fault(
    run, policy, monkeypatch
):
    rewrite(policy, ("      amount:", "      amuont:"))
    monkeypatch.chdir(policy.parent)
    said = run("check", "shop.yaml").stderr
    assert said == "shop.yaml:11:7: tables.orders.columns.amuont: the source has no such column\n"


@pytest.mark.parametrize("empty", [False, True])
def test_an_empty_database_has_no_such_table(run, policy, empty):
    if empty:
        (policy.parent / "shop.duckdb").touch()
    else:
        duckdb.connect(str(policy.parent / "shop.duckdb")).close()
    result = run("check", rewrite(policy, ("orders.parquet", "shop.duckdb")))
    assert result.exit_code == 1
    assert f"{policy}:6:3: tables.orders: there is no table orders in shop.duckdb\n" in result.stderr
    assert "no such column" not in result.stderr


def test_a_public_column_of_another_type_can_be_listed_as_text(run, policy):
    made = (
        "SELECT 1 AS k, INTERVAL '90 minutes' AS gap, TIME '10:00' AS clock, uuid() AS u, [1, 2] AS several, "
    )
    made += "TIMESTAMPTZ '2025-01-01 12:00:00+02' AS seen, 1.50::DECIMAL(9, 2) AS price"
    with duckdb.connect(str(policy.parent / "more.duckdb")) as db:
        db.execute(f"CREATE TABLE more AS {made}")
    texts = ", ".join(f"{name}: {{type: text}}" for name in ("gap", "clock", "u", "several"))
    table = f"  more: {{source: more.duckdb, public: true, columns: {{{texts}, seen: {{type: timestamp}}, "
    result = run("check", rewrite(policy, ("budgets:", table + "price: {type: float}}}\nbudgets:")))
    assert result.exit_code == 0, result.stderr
    with closing(dpsql.connect(policy, analyst="ann")) as connection:
        rows = connection.execute("SELECT gap, clock, length(u), several, seen, price FROM more").fetchall()
    assert rows == [("01:30:00", "10:00:00", 36, "[1, 2]", datetime(2025, 1, 1, 10), 1.5)]
    private = policy.read_text().replace(
        "public: true, columns: {", "unit_key: k, columns: {k: {type: integer}, "
    )
    policy.write_text(private)
    assert "the source has INTERVAL, which cannot be read as text" in run("check", str(policy)).stderr


def test_init_lists_moments_with_a_zone_and_says_what_only_a_public_table_may(run, tmp_path):
    with duckdb.connect(str(tmp_path / "a.duckdb")) as db:
        db.execute(
            "CREATE TABLE a AS SELECT TIMESTAMPTZ '2025-01-01 12:00:00+02' AS seen, INTERVAL 1 DAY AS gap, "
            "['x'] AS tags"
        )
    text = run("init", str(tmp_path / "a.duckdb")).stdout
    assert yaml.safe_load(text)["tables"]["a"]["columns"] == {"seen": {"type": "timestamp"}}
    told = "a policy has no type for INTERVAL; in a public table it can, as {type: text}"
    assert f'# "gap" cannot be listed: {told}' in text
    assert f'# "tags" cannot be listed: {told.replace("INTERVAL", "VARCHAR[]")}' in text


def test_init_says_how_the_fields_of_json_are_read_and_where_it_only_guesses(run, tmp_path):
    with duckdb.connect(str(tmp_path / "a.duckdb")) as db:
        db.execute("CREATE TABLE a (event JSON, props VARCHAR, page VARCHAR)")
    lines = run("init", str(tmp_path / "a.duckdb")).stdout.splitlines()
    event, props, page = (
        next(line for line in lines if line.startswith(f"      {name}:"))
        for name in ("event", "props", "page")
    )
    assert "# to read its fields: {type: json" in event and "# if it holds JSON: {type: json" in props
    assert page == "      page: {type: text}"


def test_init_of_a_database_without_tables_says_so(run, tmp_path):
    duckdb.connect(str(tmp_path / "empty.duckdb")).close()
    result = run("init", str(tmp_path / "empty.duckdb"))
    assert (result.exit_code, result.stdout) == (1, "") and "there is no table in it" in result.stderr


WARNINGS = {
    "no source": ((("orders.parquet", "absent.parquet"),), "is not here"),
    "no cap": ((("  max_rows_per_unit: 5\n", ""),), "may own any number of rows"),
    "no bounds": ((("lower: 0, upper: 500, step: 0.01", "step: 0.01"),), "not summed or averaged"),
    "unit_total": ((("step: 0.01}", "step: 0.01, unit_total: 100}"),), "unit_total is below"),
    "loose": (
        (("epsilon: 1, delta", "epsilon: 20, delta"), ("{epsilon: 2,", "{epsilon: 20,")),
        "protects little",
    ),
    "loose once for all who have the default": (
        (
            ("epsilon: 1, delta", "epsilon: 20, delta"),
            ("{epsilon: 2,", "{epsilon: 20,"),
            ("  default:", "  unknown_analysts: refuse\n  analysts: {ann: {}}\n  default:"),
        ),
        "protects little",
    ),
    "beyond the dataset": ((("epsilon: 1, delta", "epsilon: 3, delta"),), "more than budgets.dataset"),
    "delta": ((("delta: 1e-6", "delta: 0.01"),), "far below one in the number of persons"),
    "deleted analysts": (
        (("  default:", "  analysts: {alice: {epsilon: 1, delta: 1e-7}}\n  default:"),),
        "has the default's budget from then on",
    ),
    "no delta": ((("epsilon: 1, delta: 1e-7", "epsilon: 1, delta: 0"),), "no delta for a query"),
    "pure": (
        (
            (", delta: 1e-6", ""),
            (", delta: 1e-7", ""),
            (", values: [north, south]", ""),
            ("budgets:", "accountant: pure\nbudgets:"),
        ),
        "needs a delta",
    ),
}


@pytest.mark.one_in(6)
@pytest.mark.parametrize("case", WARNINGS)
def test_what_is_legal_but_worth_a_look_is_a_warning(run, policy, case):
    changes, words = WARNINGS[case]
    result = run("check", rewrite(policy, *changes))
    assert result.exit_code == 0, result.stderr
    warned = [line for line in result.stderr.splitlines() if line.startswith("warning: ")]
    assert len(warned) == 1 and words in warned[0]


def test_keys_are_not_said_to_lack_bounds(tmp_path):
    """Nobody adds up the key of a path, or the one that is called after the rows of its table."""
    (tmp_path / "web.yaml").write_text("""\
version: 1
privacy: {unit: users.user_id, max_rows_per_unit: 5}
tables:
  users: {source: a.parquet, columns: {user_id: {type: integer}}}
  sessions:
    source: b.parquet
    unit_key: user_id
    columns: {user_id: {type: integer}, token: {type: integer}, seconds: {type: integer}}
  views:
    source: c.parquet
    unit_path: {session: sessions.token}
    columns: {view_id: {type: integer}, session: {type: integer}, scroll: {type: integer}}
budgets: {dataset: {epsilon: 2, delta: 1e-6}, default: {epsilon: 1, delta: 1e-7}}
""")
    said = [w.split(": ")[0] for w in lint.warnings(load_policy(tmp_path / "web.yaml")) if "no bounds" in w]
    assert said == ["tables.sessions.columns.seconds", "tables.views.columns.scroll"]


def test_init_prints_names_types_and_questions(run, policy, monkeypatch):
    monkeypatch.chdir(policy.parent)
    result = run("init", "orders.parquet")
    read = yaml.safe_load(result.stdout)
    assert result.exit_code == 0
    assert read["tables"]["orders"]["source"] == "orders.parquet"
    assert read["tables"]["orders"]["columns"]["amount"] == {"type": "float"}
    assert "north" not in result.stdout


def test_init_writes_a_new_file_with_sources_relative_to_it(run, policy, monkeypatch):
    monkeypatch.chdir(policy.parent)
    Path("policies").mkdir()
    result = run("init", "orders.parquet", "-o", "policies/new.yaml")
    assert (result.exit_code, result.stdout) == (0, "")
    read = yaml.safe_load(Path("policies/new.yaml").read_text())
    assert read["tables"]["orders"]["source"] == "../orders.parquet"


def test_init_writes_the_schema_beside_a_file_once(run, policy, monkeypatch):
    monkeypatch.chdir(policy.parent)
    assert run("init", "orders.parquet", "-o", "new.yaml").exit_code == 0
    assert Path("new.yaml").read_text().startswith("# yaml-language-server: $schema=./policy.schema.json\n")
    assert json.loads(Path("policy.schema.json").read_text()) == json_schema()
    Path("policy.schema.json").write_text("mine")
    assert run("init", "orders.parquet", "-o", "other.yaml").exit_code == 0
    assert Path("policy.schema.json").read_text() == "mine"
    assert "yaml-language-server" not in run("init", "orders.parquet").stdout


def test_check_explains_how_far_off_each_column_is(run, policy):
    """Five rows of at most 500 at epsilon 0.1: scale 5 / 0.1 for counts; COUNT(region) has no NULL to leave out."""
    before = sorted(p.name for p in policy.parent.iterdir())
    result = run("check", str(policy), "--explain")
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith(
        "95 % errors of questions about a whole table at epsilon 0.1, the default's:\n"
    )
    rows = {tuple(line.split()[:2]): line.split()[2:] for line in result.stdout.splitlines() if line.strip()}
    (count,) = rows["orders", "*"]
    assert 145 < float(count.removeprefix("±")) < 155  # 50 ln 20
    assert rows["orders", "customer"] == [count, "no", "bounds", "no", "bounds"]
    assert rows["orders", "amount"] == [count, "±74,890", "±74,890", "/", "n"]
    assert rows["orders", "region"] == [count]
    assert sorted(p.name for p in policy.parent.iterdir()) == before


def test_init_leaves_absolute_paths_as_they_are(run, policy):
    source = str(policy.parent / "orders.parquet")
    assert yaml.safe_load(run("init", source).stdout)["tables"]["orders"]["source"] == source


def test_init_never_overwrites(run, policy):
    before = policy.read_text()
    result = run("init", str(policy.parent / "orders.parquet"), "--output", str(policy))
    assert result.exit_code == 1 and "is not written" in result.stderr
    assert policy.read_text() == before


def test_init_takes_several_sources_of_several_kinds(run, tmp_path):
    with duckdb.connect(str(tmp_path / "shop.duckdb")) as connection:
        connection.execute("CREATE TABLE a (x INT); CREATE TABLE b (y DATE)")
    (tmp_path / "c.csv").write_text("z\n1\n")
    result = run("init", str(tmp_path / "shop.duckdb"), str(tmp_path / "c.csv"))
    assert list(yaml.safe_load(result.stdout)["tables"]) == ["a", "b", "c"]


def test_init_of_nothing_readable_is_exit_code_1_or_2(run, tmp_path):
    assert run("init").exit_code == 2
    assert run("init", str(tmp_path / "none.csv")).exit_code == 1


def test_refresh_records_who_says_that_the_data_changed(run, monkeypatch, tmp_path):
    said = []
    monkeypatch.setattr(admin, "refresh_sources", lambda *given: said.append(given))
    result = run("refresh", "p.yaml", "--ledger", "l", "--by", "root")
    assert (result.exit_code, said) == (0, [(Path("p.yaml"), Path("l"), "root")])


def test_a_refresh_that_fails_has_the_ledgers_exit_code(run, monkeypatch):
    def broken(*given: object) -> None:
        raise errors.LedgerUnavailable("the ledger is read-only")

    monkeypatch.setattr(admin, "refresh_sources", broken)
    result = run("refresh", "p.yaml", "--by", "root")
    assert (result.exit_code, result.stdout, result.stderr) == (4, "", "the ledger is read-only\n")


def test_a_type_that_the_source_does_not_hold_is_a_mistake(run, policy):
    values = "region: {type: text, values: [north, south]}", "region: {type: integer, values: [1]}"
    result = run("check", rewrite(policy, values))
    assert result.exit_code == 1 and "tables.orders.columns.region" in result.stderr


def test_a_declared_fact_that_the_data_breaks_is_a_mistake(run, policy):
    duckdb.execute(
        "COPY (SELECT 1 AS customer, NULL::DOUBLE AS amount, 'north' AS region) "
        f"TO '{policy.parent / 'orders.parquet'}'"
    )
    result = run("check", str(policy))
    assert result.exit_code == 1 and "amount" in result.stderr and result.stdout == ""
    assert run("check", rewrite(policy, ("step: 0.01", "step: 0.01, nullable: true"))).exit_code == 0


CSV = """\
    source: orders.csv
    unit_key: customer
    columns:
      customer: {type: integer}
      amount: {type: float, lower: 0, upper: 500, step: 0.01}
      region: {type: text, values: [north, south]}
      day: {type: date, lower: 2025-01-01, upper: 2025-12-31, nullable: true}
  towns: {source: towns.csv, public: true}
budgets:
"""


def of_csv(policy: Path) -> str:
    text = POLICY[: POLICY.index("    source:")] + CSV + POLICY.partition("budgets:\n")[2]
    policy.write_text(text)
    return str(policy)


KEEP = "; declare a column `nullable: true` to keep the lines that have no value in it"


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ([], []),
        (["", "2,1,north,"], []),
        (['"', "1", "7,,north,"], ["tables.orders: 3 lines are left out: 2 are not made of 4 fields, "
            "1 has no value in `amount`" + KEEP]),
        (["x,1,south,"], ["tables.orders: 1 line is left out: 1 has no value in `customer`" + KEEP]),
        (["x,,,", "1,,,", "\xff,1,1"],
            ["tables.orders: 3 lines are left out: 1 is not made of 4 fields, 1 has no value in `customer`, "
            "1 has no value in `amount`" + KEEP]),
        (["3,1,north,01/02/2025"], ["tables.orders.columns.day: 1 value that is no date is read as NULL"]),
        (["3,1,north,x", "3,1,north,y"], ["tables.orders.columns.day: 2 values that are no date are read as NULL"]),
    ],
)  # fmt: skip
def test_lines_and_values_that_are_not_read_are_counted_for_the_admin(run, policy, lines, told):
    body = "".join(f"{line}\n" for line in ("customer,amount,region,day", "1,2.5,north,2025-03-01", *lines))
    (policy.parent / "orders.csv").write_bytes(body.encode("latin-1"))
    (policy.parent / "towns.csv").write_text("name\nx\n")
    result = run("check", of_csv(policy))
    assert result.exit_code == 0, result.stderr
    assert result.stderr.splitlines() == [f"warning: {line}" for line in told]


def test_malformed_lines_of_a_public_file_are_counted_as_well(run, policy):
    (policy.parent / "orders.csv").write_text("customer,amount,region,day\n")
    (policy.parent / "towns.csv").write_text('name,n\nx,1\ny\n"z,2\n')
    result = run("check", of_csv(policy))
    assert result.stderr.splitlines() == [
        "warning: tables.towns: 2 lines are left out: 2 are not made of 2 fields"
    ]


@pytest.mark.parametrize(
    ("header", "told"),
    [
        ("customer,amount,region", "tables.orders.columns.day: the source has no such column"),
        ("customer,amount,amount,region,day", "names the column amount twice"),
        ("", "does not name the columns"),
    ],
)
def test_a_header_that_does_not_fit_is_a_mistake(run, policy, header, told):
    (policy.parent / "orders.csv").write_text(f"{header}\n1,2,3,4\n")
    (policy.parent / "towns.csv").write_text("name\nx\n")
    result = run("check", of_csv(policy))
    assert result.exit_code == 1 and told in result.stderr


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("a,b\n1,x\n2,y\n", None),
        ("a;b\n1;x\n2;y\n", {"delimiter": ";"}),
        ("a,b\n1,'x,y'\n2,'z'\n", {"quote": "'", "escape": "'"}),
        ('a,b\n1,"x\\"y"\n2,"z,u"\n', {"escape": "\\"}),
        ("1,x\n2,y\n", {"header": False}),
        ("a,d\n1,31/12/2025\n2,01/02/2025\n", {"date": "%d/%m/%Y"}),
        ("a,d\n1,31.12.2025 10:00:00\n", {"timestamp": "%d.%m.%Y %H:%M:%S"}),
        ("a,d\n1,2025-01-01T10:00:00Z\n", None),
    ],
)
def test_init_writes_down_how_a_file_is_written(run, tmp_path, text, form):
    (tmp_path / "t.csv").write_text(text)
    result = run("init", str(tmp_path / "t.csv"))
    table = yaml.safe_load(result.stdout)["tables"]["t"]
    assert table.get("format") == form
    assert next(iter(table["columns"].values())) == {"type": "integer"}
    written = result.stdout.replace("  unit:\n", "  unit: t.*\n").replace("    unit_key:\n", "")
    written = written.replace("  analysts:\n", "  analysts: {alice: {}}\n")
    (tmp_path / "p.yaml").write_text(written.replace("    epsilon:\n", "    epsilon: 1\n"))
    checked = run("check", str(tmp_path / "p.yaml"))
    assert checked.exit_code == 0 and "left out" not in checked.stderr and "NULL" not in checked.stderr


def test_init_refuses_a_file_with_something_above_its_header(run, tmp_path):
    (tmp_path / "t.csv").write_text("# exported today\n\na,b\n1,2\n")
    result = run("init", str(tmp_path / "t.csv"))
    assert result.exit_code == 1 and "remove what stands above" in result.stderr


def test_texts_that_are_cut_are_counted_for_the_admin(run, policy):
    with duckdb.connect() as connection:
        orders = f"'{policy.parent / 'orders.parquet'}'"
        made = f"SELECT *, CASE WHEN n > 1 THEN repeat('x', 9) END AS note FROM {orders}, range(1, 4) AS r(n)"
        connection.execute(f"CREATE TABLE t AS {made}")
        (count,) = connection.execute("SELECT count(note) FROM t").fetchall()[0]
        connection.execute(f"COPY t TO {orders} (FORMAT parquet)")
    listed = "      note: {type: text, nullable: true, max_length: 8}\n      amount:"
    result = run("check", rewrite(policy, ("      amount:", listed)))
    assert result.exit_code == 0, result.stderr
    assert f"tables.orders.columns.note: {count} texts are longer than max_length, 8" in result.stderr
    assert "max_length" not in run("check", rewrite(policy, ("max_length: 8", "max_length: 9"))).stderr


def test_keys_that_own_nothing_since_they_may_be_no_utf8_are_counted_for_the_admin(run, tmp_path):
    with duckdb.connect() as connection:
        for name, what in {"t.parquet": "'what?'", "u.parquet": "'what'"}.items():
            rows = f"SELECT unnest(['a', {what}, {what}]) AS u, 'really?' AS x"
            connection.execute(f"COPY ({rows}) TO '{tmp_path / name}'")
    columns = "{u: {type: text}, x: {type: text}}"
    written = (
        "version: 1\nprivacy: {unit: t.u}\ntables:\n"
        f"  t: {{source: t.parquet, unit_key: u, max_rows_per_unit: 9, columns: {columns}}}\n"
        "budgets: {dataset: {epsilon: 9}, default: {epsilon: 9}}\naccountant: pure\n"
    )
    (tmp_path / "p.yaml").write_text(written)
    said = run("check", str(tmp_path / "p.yaml")).stderr
    assert "tables.t.columns.u: 2 texts are with ?, " in said and "owns no row" in said
    assert "columns.x: 3" not in said
    (tmp_path / "p.yaml").write_text(written.replace("t.parquet", "u.parquet"))
    assert "with ?" not in run("check", str(tmp_path / "p.yaml")).stderr
