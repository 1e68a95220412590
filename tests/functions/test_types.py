"""What the functions take: types meet by explicit casts or are refused with a sentence."""

from datetime import date, datetime

import pytest
from function_cases import COLUMNS, arg, call, lit

from dpsql.algebra.expressions import Call, Duration, Literal
from dpsql.algebra.functions import FUNCTIONS, Mistyped, apply, by_spelling, cast, coerce
from dpsql.algebra.types import SqlType

A, X, S, D, U = (COLUMNS[n] for n in "axsdu")


@pytest.mark.parametrize(
    ("text", "to", "value"),
    [
        ("2025-1-31", SqlType.DATE, date(2025, 1, 31)),
        ("2025-01-31 10:11", SqlType.TIMESTAMP, datetime(2025, 1, 31, 10, 11)),
        ("2025-01-31T10:11:12.5", SqlType.TIMESTAMP, datetime(2025, 1, 31, 10, 11, 12, 500_000)),
        ("2025-01-31", SqlType.TIMESTAMP, datetime(2025, 1, 31)),
        ("2025-01-31 00:00:00.000000", SqlType.DATE, date(2025, 1, 31)),
        ("2025-01-31T00:00:00Z", SqlType.DATE, date(2025, 1, 31)),
        ("2025/1/31", SqlType.DATE, date(2025, 1, 31)),
        ("2025-01-31T10:30:00.25+00:00", SqlType.TIMESTAMP, datetime(2025, 1, 31, 10, 30, 0, 250_000)),
        ("2025-01-31 10:30:00+00", SqlType.TIMESTAMP, datetime(2025, 1, 31, 10, 30)),
        ("2025-01-31 10:30 UTC", SqlType.TIMESTAMP, datetime(2025, 1, 31, 10, 30)),
        (" -12 ", SqlType.INTEGER, -12),
        ("2025-01-31 10:00:00", SqlType.DATE, date(2025, 1, 31)),
        ("1e3", SqlType.DOUBLE, 1000.0),
        ("Yes", SqlType.BOOLEAN, True),
    ],
)
def test_quoted_text_takes_the_type_it_stands_beside(text: str, to: SqlType, value: object) -> None:
    assert coerce(lit(text), to) == Literal(value, to)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "to"),
    [
        ("2025-02-30", SqlType.DATE),
        ("2025-01-31 10:00:00+02:00", SqlType.DATE),
        ("infinity", SqlType.DATE),
        ("2025/01-31", SqlType.DATE),
        ("2025-01-31 10:00:00+02:00", SqlType.TIMESTAMP),
        ("2025-01-31 25:00", SqlType.TIMESTAMP),
        ("12.5", SqlType.INTEGER),
        ("٣", SqlType.INTEGER),
        ("9" * 40, SqlType.INTEGER),
        ("nan", SqlType.DOUBLE),
        ("1e400", SqlType.DOUBLE),
        ("maybe", SqlType.BOOLEAN),
    ],
)
def test_quoted_text_that_reads_as_nothing_is_refused(text: str, to: SqlType) -> None:
    with pytest.raises(Mistyped):
        coerce(lit(text), to)


def test_only_widening_casts_are_implied() -> None:
    assert coerce(A, SqlType.DOUBLE) == Call("cast", (A,), SqlType.DOUBLE)
    assert coerce(D, SqlType.TIMESTAMP) == Call("cast", (D,), SqlType.TIMESTAMP)
    assert coerce(lit(None), SqlType.DATE) == Literal(None, SqlType.DATE)
    for expr, to in ((X, SqlType.INTEGER), (U, SqlType.DATE), (S, SqlType.INTEGER), (A, SqlType.TEXT)):
        with pytest.raises(Mistyped, match="CAST"):
            coerce(expr, to)


@pytest.mark.parametrize(
    ("op", "args", "sentence"),
    [
        ("eq", ("s", 5), "cannot compare text with integer; write CAST(... AS ...) or quote the value"),
        ("eq", ("p", 2), "cannot compare boolean with integer"),
        ("eq", ("d", "'soon"), "does not read as date"),
        ("and", ("p", 2), "boolean is needed here, not integer"),
        ("add", ("s", 1), "cannot compare text with integer"),
        ("mul", ("d", 2), "cannot compare date with integer"),
        ("add", ("d", "u"), "cannot add date and timestamp"),
        ("sub", ("u", "v"), "date_diff"),
        ("add", ("u", 1), "INTERVAL '1' DAY"),
        ("add", ("d", Duration(months=10**9)), "longer than 10000 years"),
        ("eq", (Duration(1), Duration(1)), "an interval can only be added"),
        ("intdiv", ("x", 2), "// divides integers only"),
        ("round", ("x", "a"), "constant number of digits"),
        ("round", ("x", 400), "constant number of digits"),
        ("case", ("p", 1, "p", 2), "one value for ELSE"),
        ("nullif", ("a", 0.5), "NULLIF would change integer to double"),
        ("like", ("s", "t"), "constant pattern"),
        ("like", ("s", "'" + "%a" * 600), "at most 1000 bytes"),
        ("replace", ("s", "t", "'"), "REPLACE takes constants"),
        ("concat_op", ("s", "a"), "text is needed here, not integer"),
        ("extract", ("'fortnight", "d"), "one of year, quarter"),
        ("extract", ("s", "d"), "the unit must be a constant"),
        ("year", ("s",), "a date or timestamp is needed here"),
        ("date_diff", ("'day", "a", "b"), "dates or timestamps are needed"),
        ("strftime", ("d", "'%%"), "STRFTIME takes a constant format"),
        ("strftime", ("d", "'%"), "STRFTIME takes a constant format"),
        ("left", ("s", 1.5), "integer is needed here"),
        ("abs", ("a", "b"), "ABS takes 1 argument, not 2"),
        ("substring", ("s",), "SUBSTRING takes 2 to 3 arguments, not 1"),
        ("least", (), "LEAST takes 1 or more arguments, not 0"),
        ("add", ("a", 2**200), "too large"),
        ("add", ("x", float("nan")), "NaN"),
        ("eq", ("s", "'\ud800"), "surrogate"),
    ],
)
def test_a_wrong_argument_is_refused_with_a_sentence(
    op: str, args: tuple[object, ...], sentence: str
) -> None:
    with pytest.raises(Mistyped) as refusal:
        call(op, args)
    assert sentence in str(refusal.value)


def test_nested_replacements_cannot_blow_up_a_text() -> None:
    once = apply("replace", (S, lit("a"), lit("a" * 50)))
    with pytest.raises(Mistyped, match="100 times"):
        apply("replace", (once, lit("a"), lit("aaa")))
    with pytest.raises(Mistyped, match="100 times"):
        apply("concat", (once, apply("upper", (once,)), S))


def test_types_that_never_convert_are_refused() -> None:
    for expr, to in (
        (D, SqlType.INTEGER),
        (A, SqlType.DATE),
        (U, SqlType.BOOLEAN),
        (arg(Duration(1)), SqlType.TEXT),
    ):
        with pytest.raises(Mistyped):
            cast(expr, to)


def test_a_cast_of_a_constant_is_a_constant() -> None:
    assert cast(lit("2025-01-31"), SqlType.DATE) == Literal(date(2025, 1, 31), SqlType.DATE)
    assert cast(lit(3), SqlType.DOUBLE) == Literal(3.0, SqlType.DOUBLE)
    assert cast(lit("tomorrow"), SqlType.DATE) == Call("cast", (lit("tomorrow"),), SqlType.DATE)
    assert apply("neg", (lit(5),)) == lit(-5)


def test_spellings_are_found_in_any_case_and_belong_to_one_function() -> None:
    assert by_spelling("Char_Length") is FUNCTIONS["length"]
    assert by_spelling("random") is None
    spellings = [s for f in FUNCTIONS.values() for s in f.spellings]
    assert len(spellings) == len(set(spellings)) and all(s == s.lower() for s in spellings)
