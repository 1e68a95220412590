"""Every engine computes with the policy's types and with nothing behind them, whatever a source is made of.

Each attack is asked over two databases that differ in one unit, with a sampler that adds no noise: what differs is the
unit's own contribution, and nothing fails over one of them alone.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import duckdb
import pytest
from answers.noiseless import Noiseless

from dpsql.engines.private_engine import DuckEngine
from dpsql.engines.public_engine import FinishEngine
from dpsql.engines.sources.column_types import SourceColumn, private_sql
from dpsql.errors import Error, PolicyError
from dpsql.policy.load import load_policy
from dpsql.policy.model import ColumnType, Policy
from dpsql.session import Session, build_session

POLICY = """version: 1
privacy: {unit: p.u}
accountant: pure
tables:
  p:
    source: private.duckdb
    unit_key: u
    one_row_per_unit: true
    columns:
      u: {type: integer}
      shop: {type: integer}
      t: {type: text}
      salary: {type: integer, lower: 0, upper: 1000000}
  PUBLIC
budgets: {dataset: {epsilon: 1000}, default: {epsilon: 1000, per_query: 1}}
engine: {isolation: ISOLATION}
"""
PUBLIC = """  s: {source: public.duckdb, public: true}
  names: {source: public.duckdb, public: true, columns: {no: {type: integer}, id: {type: text}}}
"""
UUID_ = "550e8400-e29b-41d4-a716-446655440000"
# An expression of each type that DuckDB has, for the column `id` of a public table.
TYPES = {
    "uuid": f"'{UUID_}'::UUID",
    "enum": "'a'::ENUM('a', 'b')",
    "bit": "'0101'::BIT",
    "json": """'{"a": 1}'::JSON""",
    "blob": r"'\xAA\xFF a'::BLOB",
    "bignum": "'123456789012345678901234567890123456789012345'::BIGNUM",
    "time": "'12:00:00'::TIME",
    "time_ns": "'12:00:00.123456789'::TIME_NS",
    "timetz": "'12:00:00+02'::TIMETZ",
    "interval": "INTERVAL '30 days'",
    "list": "[1, 2]",
    "array": "[1, 2]::INTEGER[2]",
    "decimals": "[1.5::DECIMAL(5, 2)]",
    "enums": "['a'::ENUM('a', 'b')]",
    "struct": "{'a': 'x'}",
    "map": "MAP {'a': 1}",
    "union": "union_value(k := 'x')",
    "variant": "'x'::VARIANT",
    "geometry": "'POINT(1 2)'::GEOMETRY",
    "null": "NULL",
    "nocase": "'Abc' COLLATE NOCASE",
    "noaccent": "'Äbc' COLLATE NOACCENT",
    "icu": "'Abc' COLLATE de",
    "varchar": "'Abc'",
}
OTHER_TYPES = {
    "hugeint": ("17::HUGEINT", "BIGINT"),
    "uhugeint": ("17::UHUGEINT", "BIGINT"),
    "ubigint": ("17::UBIGINT", "BIGINT"),
    "huge": ("170141183460469231731687303715884105727::HUGEINT", "VARCHAR"),
    "decimal": ("1.5::DECIMAL(5, 2)", "DOUBLE"),
    "float": ("1.5::FLOAT", "DOUBLE"),
    "timestamp_s": ("'2025-01-01'::TIMESTAMP_S", "TIMESTAMP"),
    "timestamp_ns": ("'2025-01-01'::TIMESTAMP_NS", "TIMESTAMP"),
    "timestamptz": ("'2025-01-01 00:00:00+02'::TIMESTAMPTZ", "TIMESTAMP"),
    "utinyint": ("17::UTINYINT", "BIGINT"),
    "boolean": ("true", "BOOLEAN"),
    "date": ("DATE '2025-01-01'", "DATE"),
}
VALUES = TYPES | {kind: value for kind, (value, _) in OTHER_TYPES.items()}
LISTED = ("varchar", "uuid", "enum")  # no policy can list the others as text
# What a Parquet file keeps of them; a DuckDB file has them all.
IN_PARQUET = ("uuid", "json", "blob", "list", "struct", "interval")
Kinds = Sequence[tuple[str, str]]
WHERE: Kinds = [*((kind, "duckdb") for kind in VALUES), *((kind, "parquet") for kind in IN_PARQUET)]
# The rows of the private table: unit 17 is in one database and not in the other.
PEOPLE = "SELECT range AS u, range % 2 AS shop, 'x' AS t, range * 1000 AS salary FROM range(100)"
CASE = "CASE WHEN p.u = 17 AND p.salary > 5000 THEN 'x' ELSE {text} END"
QUERIES = (
    f"SELECT COUNT(*) FROM p JOIN s ON s.no = p.shop WHERE {CASE} = s.id",
    f"SELECT COUNT(*) FROM p JOIN s ON s.no = p.shop WHERE s.id IN ({CASE}, 'z')",
    f"SELECT COUNT(*) FROM p JOIN s ON s.no = p.shop AND s.id = {CASE}",
    f"SELECT COUNT(*) FROM p JOIN s ON s.no = p.shop WHERE COALESCE({CASE}, s.id) < s.id",
    f"SELECT COUNT(*) FROM p JOIN s ON s.no = p.shop WHERE s.id BETWEEN {CASE} AND 'zz'",
    f"SELECT COUNT(*) FILTER (WHERE s.id = {CASE}) FROM p JOIN s ON s.no = p.shop",
    f"SELECT s.id, COUNT(*) FROM p JOIN s ON s.no = p.shop AND s.id = {CASE} GROUP BY s.id",
    "SELECT s.id, COUNT(*) FROM p JOIN s ON s.no = p.shop GROUP BY s.id",
    "SELECT COUNT(*) FROM p JOIN s ON s.id = p.t",
    "SELECT COUNT(*) FROM p WHERE p.t IN (SELECT id FROM s)",
    "SELECT COUNT(*) FROM p WHERE EXISTS (SELECT 1 FROM s WHERE s.id = p.t)",
    "SELECT COUNT(*) FROM p JOIN s ON s.no = p.shop WHERE s.id = 'no such thing'",
    "SELECT COUNT(*) FROM p JOIN s ON s.no = p.shop WHERE s.id LIKE '%a%' OR s.id > p.t",
    "SELECT COUNT(*) FROM p JOIN s ON s.no = p.shop WHERE s.id = s.id",
    "SELECT id, no FROM s WHERE id = 'no such thing' ORDER BY id, no",
)


def _public(folder: Path, value: str) -> None:
    made = f"SELECT range AS no, {value} AS id FROM range(2)"
    with duckdb.connect(str(folder / "public.duckdb")) as source:
        for table in ("s", "names"):
            source.execute(f"CREATE TABLE {table} AS {made}")


def _world(folder: Path, value: str) -> None:
    folder.mkdir(parents=True)
    (folder / "policy.yaml").write_text(_policy(PUBLIC), encoding="utf-8")
    _public(folder, value)


def _policy(tables: str, isolation: str = "inline") -> str:
    return POLICY.replace("  PUBLIC\n", tables).replace("ISOLATION", isolation)


def _every_kind(folder: Path, isolation: str = "inline", where: Kinds = WHERE) -> Policy:
    """A public table of each kind in one policy, `uuid_duckdb` and so on; those that can be are listed in another."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = ""
    with duckdb.connect(str(folder / "public.duckdb")) as source:
        for kind, suffix in where:
            made = f"SELECT range AS no, {VALUES[kind]} AS id FROM range(2)"
            for table in (f"{kind}_{suffix}", *([f"names_{kind}_{suffix}"] if kind in LISTED else ())):
                columns = ", columns: {no: {type: integer}, id: {type: text}}" if "names" in table else ""
                file = "public.duckdb" if suffix == "duckdb" else f"{table}.parquet"
                lines += f"  {table}: {{source: {file}, public: true{columns}}}\n"
                if suffix == "duckdb":
                    source.execute(f"CREATE TABLE {table} AS {made}")
                else:
                    source.execute(f"COPY ({made}) TO '{folder / file}' (FORMAT parquet)")
    (folder / "policy.yaml").write_text(_policy(lines, isolation), encoding="utf-8")
    return load_policy(folder / "policy.yaml")


def _people(folder: Path, made: str) -> None:
    with duckdb.connect(str(folder / "private.duckdb")) as source:
        source.execute(f"CREATE TABLE p AS {made}")


def _answers(policy: Policy, queries: list[str]) -> list[object]:
    """The rows of each query in the order of their texts, or what its error says."""
    with closing(build_session(policy, "a", None, (None, None), Noiseless())) as session:
        return _asked(session, queries)


def _asked(session: Session, queries: list[str]) -> list[object]:
    found: list[object] = []
    for query in queries:
        try:
            found.append(sorted(map(repr, session.answer(query).rows)))
        except Error as error:
            found.append(f"{type(error).__name__}: {error}")
    return found


@contextmanager
def _sides(folder: Path, isolation: str = "inline", where: Kinds = WHERE) -> Iterator[tuple[Session, ...]]:
    """Sessions on the database with the unit and on the one without."""
    with ExitStack() as stack:
        found = []
        for name, made in (("with", PEOPLE), ("without", f"{PEOPLE} WHERE range <> 17")):
            policy = _every_kind(folder / name, isolation, where)
            _people(folder / name, made)
            session = build_session(policy, "a", None, (None, None), Noiseless())
            found.append(stack.enter_context(closing(session)))
        yield tuple(found)


@pytest.fixture(scope="module")
def sides(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Session, ...]]:
    with _sides(tmp_path_factory.mktemp("sides")) as both:
        yield both


def _queries(kind: str, suffix: str) -> list[str]:
    text = duckdb.sql(f"SELECT CAST({TYPES[kind]} AS VARCHAR)").fetchall()[0][0]
    text = "'" + str(text).replace("'", "''") + "'"
    return [
        re.sub(r"\b(FROM|JOIN) s\b", rf"\1 {kind}_{suffix} AS s", q.replace("{text}", text)) for q in QUERIES
    ]


def _shape(answer: object) -> object:
    """Whether there is an answer, and what it says where there is none; how many rows it has."""
    return len(answer) if isinstance(answer, list) else answer


@pytest.mark.one_in(36)
@pytest.mark.parametrize(("kind", "suffix"), [w for w in WHERE if w[0] in TYPES])
def test_no_type_of_a_public_table_tells_of_a_unit(
    kind: str, suffix: str, sides: tuple[Session, ...]
) -> None:
    _tells_nothing(sides, kind, suffix)


@pytest.mark.slow
def test_nor_does_it_where_the_engines_are_children(tmp_path: Path) -> None:
    where = [(kind, "duckdb") for kind in ("uuid", "nocase", "json")]
    with _sides(tmp_path, "process", where) as sides:
        for kind, suffix in where:
            _tells_nothing(sides, kind, suffix)


def _tells_nothing(sides: tuple[Session, ...], kind: str, suffix: str) -> None:
    beside, without = (_asked(session, _queries(kind, suffix)) for session in sides)
    assert [_shape(a) for a in beside] == [_shape(a) for a in without], kind
    assert not any(str(a).startswith(("QueryFailed", "InternalError")) for a in (*beside, *without)), kind


@pytest.fixture(scope="module")
def engines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[DuckEngine, FinishEngine]]:
    """Both engines over a public table of every kind."""
    folder = tmp_path_factory.mktemp("engines")
    policy = _every_kind(folder)
    _people(folder, PEOPLE)
    with closing(DuckEngine.open(policy)) as private, closing(FinishEngine.open(policy)) as public:
        yield private, public


@pytest.mark.one_in(6)
@pytest.mark.parametrize("kind", VALUES)
def test_both_engines_have_the_types_of_the_policy_and_nothing_behind_them(
    kind: str, engines: tuple[DuckEngine, FinishEngine]
) -> None:
    wanted = OTHER_TYPES[kind][1] if kind in OTHER_TYPES else "VARCHAR"
    private, public, name = engines[0]._connection, engines[1]._connection, f"{kind}_duckdb"
    for connection, table in ((private, f"src.{name}"), (public, name)):
        assert connection.sql(f"FROM {table}").types == ["BIGINT", wanted]
        if wanted == "VARCHAR":  # text compared by its bytes, and stored where it was anything else
            for other in ("lower(id)", "upper(id)", "strip_accents(id)"):
                bytes_say = f"encode(id) = encode({other})"
                wrong = f"SELECT count(*) FROM {table} WHERE (id = {other}) <> ({bytes_say})"
                assert connection.execute(wrong).fetchall() == [(0,)], other
    stored = f"SELECT count(*) FROM duckdb_tables() WHERE schema_name = 'src' AND table_name = '{name}'"
    text = kind in TYPES and kind not in ("nocase", "noaccent", "icu", "varchar", "json")
    assert private.execute(stored).fetchall() == [(int(text or kind == "huge"),)]


def test_the_spelling_that_one_person_brings_names_no_group(tmp_path: Path) -> None:
    """A collation names a group by the first spelling that it meets; outside the domain it was dropped."""
    _world(tmp_path / "w", "'Abc'")
    with duckdb.connect(str(tmp_path / "w" / "public.duckdb")) as source:
        source.execute("CREATE OR REPLACE TABLE s (no BIGINT, id VARCHAR COLLATE NOCASE)")
        source.execute(
            "INSERT INTO s SELECT range, CASE WHEN range = 99 THEN 'ABC' ELSE 'abc' END FROM range(100)"
        )
        source.execute("CREATE OR REPLACE TABLE names AS SELECT no, id FROM s")
    _people(tmp_path / "w", PEOPLE.replace("range % 2", "range"))
    policy = load_policy(tmp_path / "w" / "policy.yaml")
    for table in ("s", "names"):
        grouped = f"SELECT x.id, COUNT(*) FROM p JOIN {table} AS x ON x.no = p.shop GROUP BY x.id"
        assert _answers(policy, [grouped]) == [["('ABC', 1)", "('abc', 99)"]]


def test_conditions_that_exclude_one_another_do_so_in_the_engine(tmp_path: Path) -> None:
    """Each is charged as if no row met two of them: one row must not."""
    _world(tmp_path / "w", "'abc' COLLATE NOCASE")
    _people(tmp_path / "w", PEOPLE)
    spellings = ("abc", "Abc", "aBc", "abC", "ABC")
    counts = ", ".join(f"COUNT(*) FILTER (WHERE s.id = '{x}')" for x in spellings)
    asked = f"SELECT {counts} FROM p JOIN s ON s.no = p.shop"
    assert _answers(load_policy(tmp_path / "w" / "policy.yaml"), [asked]) == [["(100, 0, 0, 0, 0)"]]


PRIVATE = """version: 1
privacy: {{unit: p.u, max_rows_per_unit: 9}}
accountant: pure
tables:
  p:
    source: private.duckdb
    unit_key: u
    columns: {{u: {{type: {key}}}, x: {{type: {type}, nullable: true}}}}
    {more}
budgets: {{dataset: {{epsilon: 1000}}, default: {{epsilon: 1000, per_query: 1}}}}
"""


def _private(folder: Path, made: str, type_: str = "text", more: str = "", key: str = "integer") -> Policy:
    with duckdb.connect(str(folder / "private.duckdb")) as source:
        for statement in made.split(";"):
            source.execute(statement)
    (folder / "policy.yaml").write_text(PRIVATE.format(key=key, type=type_, more=more), encoding="utf-8")
    return load_policy(folder / "policy.yaml")


@pytest.mark.parametrize("raw", [f"'{UUID_}'::UUID", "'a'::ENUM('a', 'b')"])
def test_text_of_another_type_is_text_to_every_condition(raw: str, tmp_path: Path) -> None:
    policy = _private(tmp_path, f"CREATE TABLE p AS SELECT range AS u, {raw} AS x FROM range(9)")
    conditions = (
        "x = 'no such thing'", "x IN ('no', 'such')", "x < 'zz'", "x BETWEEN 'a' AND 'b'", "x LIKE '%0%'",
        "x <> 'A'", "NOT x = ''", "COALESCE(x, 'q') = 'q'", "x = CASE WHEN u = 3 THEN 'none' ELSE x END",
    )  # fmt: skip
    found = _answers(policy, [f"SELECT COUNT(*) FROM p WHERE {c}" for c in conditions])
    assert all(isinstance(answer, list) for answer in found)


@pytest.mark.parametrize("longest", [None, 4096])
@pytest.mark.parametrize("kind", ["UUID", "ENUM('a', 'b')"])
def test_nothing_moves_behind_the_cast_of_private_text(kind: str, longest: int | None) -> None:
    """DuckDB has no rule yet that would; what stands between is a CASE, which it does not see through."""
    column = SourceColumn("x", kind.partition("(")[0].lower(), kind)
    assert private_sql(column, ColumnType.TEXT, longest).startswith("CASE ")


@pytest.mark.parametrize(("raw", "listed"), [("UUID", UUID_), ("ENUM('a', 'b')", "a")])
def test_so_it_is_where_its_values_are_listed_and_null_is_none_of_them(
    raw: str, listed: str, tmp_path: Path
) -> None:
    made = f"CREATE TABLE p (u BIGINT, x {raw}); INSERT INTO p VALUES (1, NULL), (2, '{listed}'), (3, NULL)"
    policy = _private(tmp_path, made, f"text, values: ['', '{listed}']")
    found = _answers(
        policy, ["SELECT x, COUNT(*) FROM p GROUP BY x", "SELECT COUNT(*) FROM p WHERE x = LOWER('NONE')"]
    )
    assert found == [["('', 0)", f"('{listed}', 1)", "(None, 2)"], ["(0,)"]]
    assert _answers(policy, ["SELECT COUNT(*) FROM p WHERE x < 'zz'"]) == [["(1,)"]]


@pytest.mark.parametrize(
    ("raw", "type_"),
    [("DECIMAL(5, 2)[]", "float"), ("INTEGER[]", "integer"), ("ENUM('a')[]", "text"), ("DATE[]", "date"),
     ("STRUCT(a INTEGER)", "text"), ("MAP(VARCHAR, INTEGER)", "text"), ("VARCHAR[3]", "text")],
)  # fmt: skip
def test_a_list_is_none_of_its_values(raw: str, type_: str, tmp_path: Path) -> None:
    policy = _private(tmp_path, f"CREATE TABLE p (u BIGINT, x {raw})", type_)
    with pytest.raises(PolicyError, match=rf"which cannot be read as {type_}"):
        DuckEngine.open(policy)


BASE = (
    "CREATE TABLE base AS SELECT range AS u, range % 7 AS x, 'n' || range AS n, DATE '2020-01-01' + x::INTEGER AS d, "
    "d::TIMESTAMP_S AS s, [s] AS l FROM range(9); "
)
NOT_ROW_WISE = {
    "average": "SELECT u, x FROM base WHERE x > (SELECT avg(x) FROM base)",
    "clock": "SELECT u, epoch_ms(now()) AS x FROM base",
    "chance": "SELECT u, CAST(random() AS BIGINT) AS x FROM base",
    "window": "SELECT u, row_number() OVER () AS x FROM base",
    "distinct": "SELECT DISTINCT u, x FROM base",
    "limit": "SELECT u, x FROM base LIMIT 3",
    "join": "SELECT base.u, base.x FROM base JOIN base AS other ON other.u = base.u + 1",
    "union": "SELECT u, x FROM base UNION ALL SELECT u, x FROM base",
    "total": "SELECT u, sum(x) AS x FROM base GROUP BY u",
    "unnest": "SELECT u, unnest([1, 2]) AS x FROM base",
    "sample": "SELECT u, x FROM base USING SAMPLE 50%",
    "failing cast": "SELECT u, CAST(n AS BIGINT) AS x FROM base",
    "division": "SELECT u, x // u AS x FROM base",
    "overflow": "SELECT u, x * 9223372036854775807 AS x FROM base",
    "macro": "SELECT u, mean_of(x) AS x FROM base",
    "view": "SELECT u, x FROM inner_view",
    "no table": "SELECT range AS u, range AS x FROM range(4)",
    "rowid": "SELECT u, rowid AS x FROM base",
    "rowid in a condition": "SELECT u, x FROM base WHERE rowid < 3",
    "rowid in a cast": "SELECT u, CAST(CAST(rowid AS DOUBLE) AS VARCHAR) AS x FROM base",
    "a text that is no number": "SELECT u, CASE WHEN x = 6 THEN CAST('n/a' AS BIGINT) ELSE x END AS x FROM base",
    "a text that is no day": "SELECT u, x FROM base WHERE CASE WHEN x = 6 THEN d = 'never' ELSE TRUE END",
    "a number that does not fit": "SELECT u, CASE WHEN x = 6 THEN CAST(300 AS TINYINT) ELSE x END AS x FROM base",
    "a moment of seconds": "SELECT u, TRY_CAST(CAST(d AS TIMESTAMP_MS) AS TIMESTAMP_S) AS x FROM base",
    "a text that is no JSON": "SELECT u, CAST(n AS JSON) AS x FROM base",
    "a text that is no JSON in a condition": "SELECT u, x FROM base WHERE n = CAST('{}' AS JSON)",
    "a moment of seconds as text": "SELECT u, CAST(s AS VARCHAR) AS x FROM base",
    "a moment of seconds in a list": "SELECT u, CAST(l AS VARCHAR) AS x FROM base",
    "a moment of nanoseconds": "SELECT u, x FROM base WHERE TRY_CAST(d AS TIMESTAMP_NS) IS NULL",
}
ROW_WISE = {
    "texts and lists": "SELECT u, x FROM base WHERE n LIKE 'n%' AND x IN (1, 2)",
    "not equal": "SELECT u, x FROM base WHERE n <> 'n3' AND x != 5",
    "a day": "SELECT u, x FROM base WHERE d = '2020-01-02' OR d > DATE '2020-01-05' OR d IN ('2020-01-03', NULL)",
    "numbers": "SELECT u, x FROM base WHERE CAST(x AS DOUBLE) > 1.5 AND x < CAST('4' AS TINYINT) OR x = -1",
    "tried": "SELECT u, TRY_CAST(n AS BIGINT) AS x FROM base WHERE TRY_CAST(n AS DATE) IS NULL",
    "told": "SELECT u, x FROM base WHERE CAST(d AS VARCHAR) > n || x OR CAST(TRY_CAST(n AS JSON) AS VARCHAR) IS NULL",
    "nothing": "SELECT u, CASE WHEN x = 6 THEN CAST(NULL AS BIGINT) ELSE x END AS x FROM base",
}


@pytest.mark.one_in(4)
@pytest.mark.parametrize("case", NOT_ROW_WISE)
def test_a_view_that_looks_beyond_its_row_is_refused(case: str, tmp_path: Path) -> None:
    made = f"{BASE} CREATE MACRO mean_of(y) AS (SELECT avg(x) FROM base); "
    made += f"CREATE VIEW inner_view AS {NOT_ROW_WISE['average']}; CREATE VIEW p AS {NOT_ROW_WISE[case]}"
    policy = _private(tmp_path, made, "integer", "view: row_wise")
    with pytest.raises(PolicyError, match="more than a projection and a filter of one table"):
        DuckEngine.open(policy)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("rows", ROW_WISE.values(), ids=ROW_WISE)
def test_a_view_of_its_rows_is_read_where_the_policy_speaks_of_it(rows: str, tmp_path: Path) -> None:
    made = f"{BASE} CREATE VIEW p AS {rows}"
    with pytest.raises(PolicyError, match="p is a view"):
        DuckEngine.open(_private(tmp_path, made, "integer"))
    (tmp_path / "private.duckdb").unlink()
    policy = _private(tmp_path, made, "integer", "view: row_wise")
    count = duckdb.connect().execute(f"{BASE} SELECT count(*) FROM ({rows})").fetchall()[0][0]
    assert _answers(policy, ["SELECT COUNT(*) FROM p"]) == [[f"({count},)"]] and count


@pytest.mark.parametrize(
    "computed", ["now()::DATE::VARCHAR", "CAST(n AS INTEGER)::VARCHAR", "random()::VARCHAR"]
)
def test_a_generated_column_is_read_only_where_it_cannot_fail_or_change(
    computed: str, tmp_path: Path
) -> None:
    made = f"CREATE TABLE p (u BIGINT, n VARCHAR, x VARCHAR GENERATED ALWAYS AS ({computed}))"
    with pytest.raises(PolicyError, match="reading p is more than"):
        DuckEngine.open(_private(tmp_path, made))


def test_a_generated_column_of_its_row_is_read(tmp_path: Path) -> None:
    made = "CREATE TABLE p (u BIGINT, n VARCHAR, x VARCHAR GENERATED ALWAYS AS (lower(n))); "
    policy = _private(tmp_path, f"{made} INSERT INTO p (u, n) VALUES (1, 'A'), (2, 'b')")
    assert _answers(policy, ["SELECT COUNT(*) FROM p WHERE x = 'a'"]) == [["(1,)"]]


@pytest.mark.one_in(6)
@pytest.mark.parametrize("folder", ["a[1]", "a?", "a*", "u=7", "x=1/u=7", "{a,b}", "a'b"])
def test_a_folders_name_is_neither_a_pattern_nor_a_column(folder: str, tmp_path: Path) -> None:
    here = tmp_path / folder
    here.mkdir(parents=True)
    other = tmp_path / "a1"
    other.mkdir()
    for place, rows in ((here, 3), (other, 5)):
        path = str(place / "p.parquet").replace("'", "''")
        duckdb.sql(f"COPY (SELECT range AS u, 'x' AS x FROM range({rows})) TO '{path}' (FORMAT parquet)")
    text = PRIVATE.format(key="integer", type="text", more="").replace("private.duckdb", "p.parquet")
    (here / "policy.yaml").write_text(text, encoding="utf-8")
    policy = load_policy(here / "policy.yaml")
    assert _answers(policy, ["SELECT COUNT(*), COUNT(DISTINCT u) FROM p"]) == [["(3, 3)"]]


def test_a_text_is_cut_at_its_length_and_a_key_is_not(tmp_path: Path) -> None:
    made = "CREATE TABLE p AS SELECT 1 AS u, repeat('é', 5000) AS x UNION ALL SELECT 2, 'short'"
    policy = _private(tmp_path, made)
    lengths = [f"SELECT COUNT(*) FROM p WHERE LENGTH(x) = {n}" for n in (5000, 4096, 5)]
    assert _answers(policy, lengths) == [["(0,)"], ["(1,)"], ["(1,)"]]


def test_a_key_that_is_too_long_owns_nothing(tmp_path: Path) -> None:
    made = "CREATE TABLE p AS SELECT repeat('a', 4095 + range) AS u, 'x' AS x FROM range(4)"
    policy = _private(tmp_path, made, key="text")
    assert _answers(policy, ["SELECT COUNT(*), COUNT(DISTINCT u) FROM p"]) == [["(2, 2)"]]


def test_a_database_of_another_system_is_not_opened(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "private.duckdb")) as other:
        other.execute("CREATE TABLE p (u INTEGER, x TEXT)")
    (tmp_path / "policy.yaml").write_text(
        PRIVATE.format(key="integer", type="text", more=""), encoding="utf-8"
    )
    with pytest.raises(PolicyError, match=r"private\.duckdb is a SQLite file; write"):
        DuckEngine.open(load_policy(tmp_path / "policy.yaml"))
