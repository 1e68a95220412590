"""For each function, calls of it and the same in plain DuckDB SQL.

Columns are named by type: a, b integers; x, y doubles; s, t texts; d, e dates; u, v timestamps; p, q truths.
"""

from dpsql.algebra.expressions import Column, Duration, Expr, Literal
from dpsql.algebra.functions import apply, cast
from dpsql.algebra.types import SqlType

_TYPES = {
    "ab": SqlType.INTEGER,
    "xy": SqlType.DOUBLE,
    "st": SqlType.TEXT,
    "de": SqlType.DATE,
    "uv": SqlType.TIMESTAMP,
    "pq": SqlType.BOOLEAN,
}
COLUMNS = {n: Column(0, n, kind) for names, kind in _TYPES.items() for n in names}


def lit(value: object) -> Literal:
    """A literal as a binder makes it."""
    kinds = {bool: SqlType.BOOLEAN, int: SqlType.INTEGER, float: SqlType.DOUBLE, str: SqlType.TEXT}
    if value is None:
        return Literal(None, SqlType.NULL)
    if isinstance(value, Duration):
        return Literal(value, SqlType.INTERVAL)
    return Literal(value, kinds[type(value)])


def arg(value: object) -> Expr:
    """A column by its one-letter name, any other value as a literal; `'text` is quoted text."""
    if isinstance(value, str):
        return lit(value[1:]) if value.startswith("'") else COLUMNS[value]
    return lit(value)


def call(op: str, args: tuple[object, ...]) -> Expr:
    """The operation on columns and literals; the last argument of a cast is its target."""
    if op == "cast":
        target = args[1]
        assert isinstance(target, SqlType)
        return cast(arg(args[0]), target)
    return apply(op, tuple(arg(a) for a in args))


Case = tuple[tuple[object, ...], str]
_MONTH, _LONG = Duration(months=1), Duration(months=13, days=-40, micros=90_061_000_001)


def _comparison(sign: str) -> tuple[Case, ...]:
    mixed = (
        (("a", "x"), f"a {sign} x"),
        (("d", "u"), f"d {sign} u"),
        (("d", "'2025-01-31"), f"d {sign} '2025-01-31'"),
    )
    same = tuple((pair, f"{pair[0]} {sign} {pair[1]}") for pair in (*_TYPES, "ax"))
    return (*((tuple(pair), sql) for pair, sql in same), *mixed, (("a", 2.5), f"a {sign} 2.5::DOUBLE"))


def _parts(name: str) -> tuple[Case, ...]:
    return ((("d",), f"extract({name} from d)"), (("u",), f"extract({name} from u)"))


def _units(kind: str) -> tuple[tuple[object, ...], ...]:
    units = ("year", "quarter", "month", "week", "day", "hour", "minute", "second")
    return tuple((f"'{unit}", kind) for unit in units)


def _real(sql: str, plain: float) -> tuple[Case, ...]:
    return ((("x",), sql.format("x")), (("a",), sql.format("a")), ((plain,), sql.format(f"{plain}::DOUBLE")))


CASES: dict[str, tuple[Case, ...]] = {
    "eq": _comparison("="),
    "ne": _comparison("<>"),
    "lt": _comparison("<"),
    "le": _comparison("<="),
    "gt": _comparison(">"),
    "ge": _comparison(">="),
    "is_distinct": _comparison("IS DISTINCT FROM"),
    "is_not_distinct": _comparison("IS NOT DISTINCT FROM"),
    "is_null": tuple(((n,), f"{n} IS NULL") for n in "axsdup"),
    "is_true": ((("p",), "p IS TRUE"),),
    "is_false": ((("p",), "p IS FALSE"),),
    "and": ((("p", "q"), "p AND q"), (("p", "q", "p"), "p AND q AND p"), (("p",), "p")),
    "or": ((("p", "q"), "p OR q"), (("p", "q", None), "p OR q OR NULL")),
    "not": ((("p",), "NOT p"),),
    "in": (
        (("a", 1, 2, None), "a IN (1, 2, NULL)"),
        (("a", "b"), "a IN (b)"),
        (("a", "x", 2), "a IN (x, 2)"),
        (("s", "'b", "t"), "s IN ('b', t)"),
        (("d", "'2025-01-31"), "d IN ('2025-01-31')"),
        (("x", 1, 2.5), "x IN (1, 2.5)"),
    ),
    "case": (
        (("p", "a", "b"), "CASE WHEN p THEN a ELSE b END"),
        (("p", "a", "q", "x", None), "CASE WHEN p THEN a WHEN q THEN x ELSE NULL END"),
        (("p", "s", "'other"), "CASE WHEN p THEN s ELSE 'other' END"),
        (("p", "d", "u"), "CASE WHEN p THEN d ELSE u END"),
    ),
    "coalesce": (
        (("a", "b", 0), "coalesce(a, b, 0)"),
        (("a", "x"), "coalesce(a, x)"),
        (("s", "t"), "coalesce(s, t)"),
        (("d",), "coalesce(d)"),
    ),
    "nullif": (
        (("a", "b"), "nullif(a, b)"),
        (("a", 2), "nullif(a, 2)"),
        (("x", "y"), "nullif(x, y)"),
        (("s", "'b"), "nullif(s, 'b')"),
        (("u", "v"), "nullif(u, v)"),
    ),
    "least": (
        (("a", "b"), "least(a, b)"),
        (("a", "x", 2), "least(a, x, 2)"),
        (("s", "t"), "least(s, t)"),
        (("d", "e"), "least(d, e)"),
        (("u", "v"), "least(u, v)"),
    ),
    "greatest": (
        (("a", "b"), "greatest(a, b)"),
        (("a", "x", 2), "greatest(a, x, 2)"),
        (("s", "t"), "greatest(s, t)"),
        (("d", "e"), "greatest(d, e)"),
        (("p", "q"), "greatest(p, q)"),
    ),
    "add": (
        (("a", "b"), "a + b"),
        (("a", "x"), "a + x"),
        (("x", "y"), "x + y"),
        (("d", _MONTH), "d + INTERVAL 1 MONTH"),
        (("u", _MONTH), "u + INTERVAL 1 MONTH"),
        ((_LONG, "u"), "INTERVAL '13 months -40 days 25:01:01.000001' + u"),
        (("d", "a"), "d + a::INTEGER"),
        (("a", "d"), "a::INTEGER + d"),
    ),
    "sub": (
        (("a", "b"), "a - b"),
        (("x", "y"), "x - y"),
        (("d", _MONTH), "d - INTERVAL 1 MONTH"),
        (("u", _LONG), "u - INTERVAL '13 months -40 days 25:01:01.000001'"),
        (("d", "a"), "d - a::INTEGER"),
        (("d", "e"), "d - e"),
        (("d", "'2024-02-29"), "d - DATE '2024-02-29'"),
    ),
    "mul": ((("a", "b"), "a * b"), (("x", "y"), "x * y"), (("a", "x"), "a * x"), (("a", -3), "a * -3")),
    "div": ((("a", "b"), "a / b"), (("x", "y"), "x / y"), (("a", 4), "a / 4"), (("x", "a"), "x / a")),
    "intdiv": ((("a", "b"), "a // b"), (("a", 4), "a // 4"), (("a", -1), "a // -1")),
    "mod": ((("a", "b"), "a % b"), (("x", "y"), "x % y"), (("a", -1), "a % -1"), (("x", "a"), "x % a")),
    "neg": ((("a",), "-a"), (("x",), "-x")),
    "abs": ((("a",), "abs(a)"), (("x",), "abs(x)")),
    "sign": ((("a",), "sign(a)"), (("x",), "sign(x)")),
    "round": (
        (("a",), "round(a)"),
        (("x",), "round(x)"),
        (("a", -1), "round(a, -1)"),
        (("a", 2), "round(a, 2)"),
        (("x", 2), "round(x, 2)"),
        (("x", -1), "round(x, -1)"),
        (("x", 15), "round(x, 15)"),
        *((("x", digits), f"round(x, {digits})") for digits in range(-15, 0)),
    ),
    "floor": _real("floor({})", -2.5),
    "ceil": _real("ceil({})", -2.5),
    "trunc": ((("x",), "trunc(x)"), (("a",), "trunc(a)")),
    "sqrt": (*_real("sqrt(abs({}))", 2.0)[2:], (("x",), "CASE WHEN x >= 0 THEN sqrt(x) END")),
    "ln": ((("x",), "CASE WHEN x > 0 THEN ln(x) END"), ((7,), "ln(7)")),
    "log10": ((("x",), "CASE WHEN x > 0 THEN log10(x) END"), ((1000,), "log(1000)")),
    "log2": ((("x",), "CASE WHEN x > 0 THEN log2(x) END"), ((0.1,), "log2(0.1)")),
    "exp": _real("exp({})", -1.5),
    "power": (
        (("x", 2), "power(x, 2)"),
        (("x", 3), "power(x, 3)"),
        (("x", -1), "power(x, -1)"),
        (("a", 0), "power(a, 0)"),
        (("x", "y"), "CASE WHEN isfinite(power(x, y)) THEN power(x, y) END"),
        ((2, "x"), "power(2, x)"),
    ),
    "cast": (
        (("a", SqlType.DOUBLE), "CAST(a AS DOUBLE)"),
        (("a", SqlType.TEXT), "CAST(a AS VARCHAR)"),
        (("a", SqlType.BOOLEAN), "CAST(a AS BOOLEAN)"),
        (("x", SqlType.INTEGER), "CAST(x AS BIGINT)"),
        (("x", SqlType.TEXT), "CAST(x AS VARCHAR)"),
        (("x", SqlType.BOOLEAN), "CAST(x AS BOOLEAN)"),
        (("p", SqlType.INTEGER), "CAST(p AS BIGINT)"),
        (("p", SqlType.DOUBLE), "CAST(p AS DOUBLE)"),
        (("p", SqlType.TEXT), "CAST(p AS VARCHAR)"),
        (("s", SqlType.INTEGER), "TRY_CAST(s AS BIGINT)"),
        (("s", SqlType.DOUBLE), "TRY_CAST(s AS DOUBLE)"),
        (("s", SqlType.BOOLEAN), "TRY_CAST(s AS BOOLEAN)"),
        (("s", SqlType.DATE), "TRY_CAST(s AS DATE)"),
        (("s", SqlType.TIMESTAMP), "TRY_CAST(s AS TIMESTAMP)"),
        (("'1.5", SqlType.DOUBLE), "CAST('1.5' AS DOUBLE)"),
        (("'2025-01-31", SqlType.DATE), "CAST('2025-01-31' AS DATE)"),
        (("'2025-01-31T10:11:12.5", SqlType.TIMESTAMP), "CAST('2025-01-31T10:11:12.5' AS TIMESTAMP)"),
        (("d", SqlType.TEXT), "CAST(d AS VARCHAR)"),
        (("d", SqlType.TIMESTAMP), "CAST(d AS TIMESTAMP)"),
        (("u", SqlType.DATE), "CAST(u AS DATE)"),
        (("u", SqlType.TEXT), "CAST(u AS VARCHAR)"),
    ),
    "lower": ((("s",), "lower(s)"),),
    "upper": ((("s",), "upper(s)"),),
    "trim": ((("s",), "trim(s)"), (("s", "'no "), "trim(s, 'no ')"), (("s", "t"), "trim(s, t)")),
    "ltrim": ((("s",), "ltrim(s)"), (("s", "'én"), "ltrim(s, 'én')"), (("s", "'"), "ltrim(s, '')")),
    "rtrim": ((("s",), "rtrim(s)"), (("s", "'-]^h"), "rtrim(s, '-]^h')")),
    "reverse": ((("s",), "reverse(s)"),),
    "length": ((("s",), "length(s)"),),
    "ascii": ((("s",), "ascii(s)"), (("'\U0010ffffx",), "ascii('\U0010ffffx')")),
    "substring": (
        (("s", "a"), "substring(s, a)"),
        (("s", "a", "b"), "substring(s, a, b)"),
        (("s", 2, 3), "substring(s, 2, 3)"),
        (("s", -2), "substring(s, -2)"),
        (("s", 2**63), "left(s, 0)"),
    ),
    "split_part": (
        (("s", "'a", 1), "split_part(s, 'a', 1)"),
        (("s", "'an", 2), "split_part(s, 'an', 2)"),
        (("s", "' ", 1000), "split_part(s, ' ', 1000)"),
        (("s", "'a", -1), "split_part(s, 'a', -1)"),
        (("s", "'a", 0), "split_part(s, 'a', 0)"),
    ),
    "split_element": (
        (("s", "'a", 1), "string_split(s, 'a')[1]"),
        (("s", "'an", 2), "str_split(s, 'an')[2]"),
        (("s", "'é", -1), "list_extract(split(s, 'é'), -1)"),
        (("s", "' ", -1000), "array_extract(string_to_array(s, ' '), -1000)"),
        (("s", "'o", 0), "list_element(string_split(s, 'o'), 0)"),
    ),
    "regexp_matches": (
        (("s", "'a"), "regexp_matches(s, 'a')"),
        (("s", "'^(a|B)?[^x-z]{1,2}\\w*$"), "regexp_matches(s, '^(a|B)?[^x-z]{1,2}\\w*$')"),
        (("s", "'"), "regexp_matches(s, '')"),
        (("s", "'AÑ|[K-s]\\B", "'i"), "regexp_matches(s, 'AÑ|[K-s]\\B', 'i')"),
    ),
    "regexp_full_match": (
        (("s", "'b?(an)*.|Añé an"), "regexp_full_match(s, 'b?(an)*.|Añé an')"),
        (("s", "'an"), "s SIMILAR TO 'an'"),
        (("s", "'"), "regexp_full_match(s, '')"),
    ),
    "left": ((("s", 2), "left(s, 2)"), (("s", "a"), "left(s, a)")),
    "right": ((("s", 2), "right(s, 2)"), (("s", "a"), "right(s, a)")),
    "concat": (
        (("s", "'-", "t"), "concat(s, '-', t)"),
        (("s",), "concat(s)"),
        (("s", None), "concat(s, NULL)"),
    ),
    "concat_op": ((("s", "t"), "s || t"), (("s", "'it''s"), "s || 'it''''s'")),
    "replace": (
        (("s", "'a", "'bcd"), "replace(s, 'a', 'bcd')"),
        (("s", "'", "'bcd"), "replace(s, '', 'bcd')"),
        (("s", "'an", "'"), "replace(s, 'an', '')"),
    ),
    "like": (
        (("s", "'%an%"), "s LIKE '%an%'"),
        (("s", "'_a%_n%"), "s LIKE '_a%_n%'"),
        (("s", "'b_"), "s LIKE 'b_'"),
        (("s", "'"), "s LIKE ''"),
        (("s", "'100\\%"), "s LIKE '100\\%'"),
    ),
    "like_escape": (
        (("s", "'%!%%", "'!"), "s LIKE '%!%%' ESCAPE '!'"),
        (("s", "'%an\\_%", "'\\"), "s LIKE '%an\\_%' ESCAPE '\\'"),
        (("s", "'%a", "'"), "s LIKE '%a' ESCAPE ''"),
        (("s", "'%%%%", "'%"), "s LIKE '%%%%' ESCAPE '%'"),
        (("s", "'_.é%", "'^"), "s LIKE '_.é%' ESCAPE '^'"),
    ),
    "ilike_escape": (
        (("s", "'%AN!_%", "'!"), "s ILIKE '%AN!_%' ESCAPE '!'"),
        (("s", "'!A%!É%", "'!"), "s ILIKE '!A%!É%' ESCAPE '!'"),
    ),
    "ilike": ((("s", "'%AN%"), "s ILIKE '%AN%'"), (("s", "'_A%_É%"), "s ILIKE '_A%_É%'")),
    "starts_with": ((("s", "t"), "starts_with(s, t)"), (("s", "'b"), "starts_with(s, 'b')")),
    "ends_with": ((("s", "t"), "ends_with(s, t)"), (("s", "'"), "ends_with(s, '')")),
    "contains": ((("s", "t"), "contains(s, t)"), (("s", "'an"), "contains(s, 'an')")),
    "strpos": (
        (("s", "t"), "strpos(s, t)"),
        (("s", "'an"), "strpos(s, 'an')"),
        (("'", "t"), "strpos('', t)"),
    ),
    **{
        name: _parts(name)
        for name in (
            "year",
            "quarter",
            "month",
            "day",
            "dow",
            "isodow",
            "doy",
            "week",
            "isoyear",
            "yearweek",
            "decade",
            "century",
            "millennium",
            "millisecond",
            "microsecond",
            "hour",
            "minute",
            "second",
            "epoch",
        )
    },
    "extract": (
        (("'YEAR", "d"), "date_part('year', d)"),
        (("'dayofweek", "u"), "date_part('dayofweek', u)"),
        (("'epoch", "u"), "date_part('epoch', u)"),
    ),
    "date_trunc": tuple(
        (args, f"date_trunc({args[0]}', {args[1]})") for kind in "du" for args in _units(kind)
    ),
    "date_diff": tuple(
        (
            (*args, {"d": "e", "u": "v"}[kind]),
            f"date_diff({args[0]}', {args[1]}, {'e' if kind == 'd' else 'v'})",
        )
        for kind in "du"
        for args in _units(kind)
    ),
    "epoch_ms": ((("d",), "epoch_ms(d)"), (("u",), "epoch_ms(u)")),
    "epoch_us": ((("d",), "epoch_us(d)"), (("u",), "epoch_us(u)")),
    "time_bucket": tuple(
        ((width, column), f"time_bucket({text}, {column})")
        for width, text in (
            (Duration(0, 7, 0), "INTERVAL 7 DAY"),
            (Duration(0, 10, 0), "INTERVAL 10 DAY"),
            (Duration(5, 0, 0), "INTERVAL 5 MONTH"),
            (Duration(12, 0, 0), "INTERVAL 1 YEAR"),
            (Duration(0, 0, 5_400_000_000), "INTERVAL 90 MINUTE"),
        )
        for column in "du"
        if not (width.micros and column == "d")
    ),
    "step": (
        (("d", "a", Duration(days=1)), "d + a * INTERVAL 1 DAY"),
        (("u", "a", Duration(days=-7)), "u - a * INTERVAL 7 DAY"),
        (("u", "b", Duration(micros=5_400_000_000)), "u + b * INTERVAL 90 MINUTE"),
        (("u", "b", Duration(micros=1_000_000)), "u + b * INTERVAL 1 SECOND"),
        (("d", "a", Duration(micros=-1)), "d - a * INTERVAL 1 MICROSECOND"),
    ),
    # Rows have no INTERVAL: it is its microseconds.
    "elapsed": ((("a",), "a"),),
    "at_zone": tuple(
        ((column, f"'{here}", f"'{there}"), f"timezone('{there}', timezone('{here}', {column}::TIMESTAMP))")
        for here, there in (
            ("UTC", "America/New_York"),
            ("Asia/Tokyo", "UTC"),
            ("Europe/Berlin", "Australia/Lord_Howe"),
            ("UTC", "Pacific/Apia"),
            ("America/New_York", "UTC"),
        )
        for column in "du"
    ),
    "regexp_extract": (
        (("s", "'[a-n]+"), "regexp_extract(s, '[a-n]+')"),
        (("s", "'(a)(n)?", 2), "regexp_extract(s, '(a)(n)?', 2)"),
        (("s", "'^(\\d+)-(?:\\d+)", 1), "regexp_extract(s, '^(\\d+)-(?:\\d+)', 1)"),
        (("s", "'", 0), "regexp_extract(s, '', 0)"),
    ),
    "regexp_replace": (
        (("s", "'[an]", "'"), "regexp_replace(s, '[an]', '')"),
        (("s", "'a", "'-", "'g"), "regexp_replace(s, 'a', '-', 'g')"),
        (("s", "'(a)(n)?", "'[\\2\\1\\0]", "'g"), "regexp_replace(s, '(a)(n)?', '[\\2\\1\\0]', 'g')"),
        (("s", "'", "'xyz", "'g"), "regexp_replace(s, '', 'xyz', 'g')"),
    ),
    "concat_ws": (
        (("'-", "s", "t"), "concat_ws('-', s, t)"),
        (("'", "s", None, "'x"), "concat_ws('', s, NULL, 'x')"),
    ),
    "translate": (
        (("s", "'an\u00e9", "'\u00e9x"), "translate(s, 'an\u00e9', '\u00e9x')"),
        (("s", "'aan", "'12"), "translate(s, 'aan', '12')"),
        (("s", "'", "'xyz"), "translate(s, '', 'xyz')"),
    ),
    "lpad": ((("s", 3, "'0"), "lpad(s, 3, '0')"), (("s", 100, "'xyz"), "lpad(s, 100, 'xyz')")),
    "rpad": ((("s", 0, "'0"), "rpad(s, 0, '0')"), (("s", 9, "'\u00e9"), "rpad(s, 9, '\u00e9')")),
    "decimal": (
        (("x", 18, 2), "CAST(CAST(x AS DECIMAL(18, 2)) AS DOUBLE)"),
        (("x", 4, 0), "CAST(TRY_CAST(x AS DECIMAL(4, 0)) AS DOUBLE)"),
        (("a", 19, 4), "CAST(CAST(a AS DECIMAL(19, 4)) AS DOUBLE)"),
        (("x", 18, 9), "CAST(TRY_CAST(x AS DECIMAL(18, 9)) AS DOUBLE)"),
    ),
    "last_day": ((("d",), "last_day(d)"), (("u",), "last_day(u)")),
    "make_date": (
        ((2024, "a", 31), "TRY(make_date(2024, a, 31))"),
        ((2023, 2, "a"), "TRY(make_date(2023, 2, a))"),
        ((1, 1, "b"), "TRY(make_date(1, 1, b))"),
    ),
    "monthname": ((("d",), "monthname(d)"), (("u",), "monthname(u)")),
    "dayname": ((("d",), "dayname(d)"), (("u",), "dayname(u)")),
    "strftime": (
        (("d", "'%Y-%m"), "strftime(d, '%Y-%m')"),
        (
            ("u", "'%y %j %f %b %B %a %A %p %I:%M:%S %H %d %u %w %V %G %m %Y"),
            "strftime(u, '%y %j %f %b %B %a %A %p %I:%M:%S %H %d %u %w %V %G %m %Y')",
        ),
        (("d", "'plain"), "strftime(d, 'plain')"),
    ),
}
