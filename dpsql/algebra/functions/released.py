"""DuckDB's functions for released results and public tables alone: private rows refuse what stands here.

What is computed of released values says no more about anybody, so that these need not be total: where DuckDB fails, the
query does. They are read by their names and run by the engine that never holds a private row. None gives another value
when it is called again, none reads files, settings or the catalogue, and none makes a text or a list longer than
`dpsql/sql/validate/made_texts.py` says.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from dpsql.slotted import dataclass


@dataclass(frozen=True, slots=True)
class ReleasedFunction:
    """A function of released results: its names, a call of it, and its line in docs/functions.md.

    `example` are arguments for which r is a text, n a whole number and m a moment.
    """

    names: tuple[str, ...]
    example: str
    summary: str
    aggregates: bool = False


def _row(names: str, example: str, summary: str) -> ReleasedFunction:
    return ReleasedFunction(tuple(names.split()), example, summary)


def _rows(names: str, example: str, summary: str) -> ReleasedFunction:
    return ReleasedFunction(tuple(names.split()), example, summary, aggregates=True)


RELEASED = (
    _row("format", "'{:,} of {}', n, r", "a constant text with values in the place of {}; at most three digits in one"),
    _row("printf", "'%,d of %s', n, r", "a constant text with values in the place of %d, %s and the like"),
    _row("repeat", "r, 3", "x n times, for a constant n"),
    _row("bar", "n, 0, 100, 20", "a bar of at most 1000 characters"),
    _row("chr", "n::INTEGER", "the character with a number"),
    _row("unicode ord", "r", "the number of the first character"),
    _row("md5 sha1 sha256", "r", "a digest, as hexadecimal digits"),
    _row("hex to_hex bin to_binary", "n", "in hexadecimal or binary digits"),
    _row("to_base", "n, 36", "a number in digits of another base"),
    _row("url_encode", "r", "as a part of an address"),
    _row("url_decode", "r", "the text of a part of an address"),
    _row("parse_filename", "r", "the last part of a path"),
    _row("substring_grapheme", "r, 1, 2", "characters as a reader counts them"),
    _row("left_grapheme right_grapheme", "r, 2", "the first or last characters as a reader counts them"),
    _row("length_grapheme strlen bit_length", "r", "characters as a reader counts them, bytes, bits"),
    _row("hamming mismatches", "r, reverse(r)", "in how many places two texts of one length differ"),
    _row("jaro_similarity jaro_winkler_similarity", "r, 'north'", "how alike two texts are, from 0 to 1"),
    _row("format_bytes formatreadablesize formatreadabledecimalsize", "n", "a size such as 4.8 KiB"),
    _row("typeof pg_typeof", "n", "the name of a type"),
    _row("strptime try_strptime", "'31/01/2025', '%d/%m/%Y'", "the moment of a text in a constant format"),
    _row("make_timestamp", "2025, 1, 31, 13, 0, n", "the moment of a year, month, day, hour, minute and second"),
    _row("make_time", "13, 0, n", "a time of day"),
    _row("to_days to_weeks", "n", "an interval of whole days or weeks"),
    _row("to_months to_quarters to_years to_decades", "n", "of months: add it to a moment, or CAST it to VARCHAR"),
    _row("to_hours to_minutes to_seconds to_milliseconds to_microseconds", "n", "an interval of hours, ..."),
    _row("age", "m, TIMESTAMP '2024-12-31'", "the interval between two moments, or up to today: CAST it to VARCHAR"),
    _row("date_sub datesub", "'day', m, TIMESTAMP '2025-12-31'", "whole units of time from x to y"),
    _row("epoch_ns nanosecond", "m", "in billionths of a second"),
    _row("add subtract multiply", "n, 2", "what the operators +, - and * are"),
    _row("divide fdiv fmod", "n, 2", "what // is, the same and the remainder as doubles"),
    _row("gcd greatest_common_divisor lcm least_common_multiple", "n, 6", "of two whole numbers"),
    _row("factorial", "n::INTEGER", "n!"),
    _row("bit_count", "n", "the bits that are set"),
    _row("xor", "n, 6", "the bits that are set in one of two numbers"),
    _row("even", "n / 2.0", "rounded away from zero to an even number"),
    _row("round_even roundbankers", "n / 2.0, 0", "rounded, a half to the even number"),
    _row("sinh cosh tanh asinh cot gamma lgamma", "n", "as in mathematics"),
    _row("nextafter", "n::DOUBLE, 100.0::DOUBLE", "the next double towards another"),
    _row("signbit isfinite", "n::DOUBLE", "whether a double is negative, or finite"),
    _row("list_value list_pack", "n, 2", "a list, as [n, 2]"),
    _row("list_sort array_sort list_reverse_sort array_reverse_sort list_reverse array_reverse", "[n, 2]", "in order"),
    _row("list_distinct array_distinct", "[n, 2]", "each value once, without NULL"),
    _row("list_unique array_unique array_length list_count", "[n, 2]", "how many values a list has"),
    _row("list_contains list_has array_contains array_has", "[n, 2], 2", "whether a value is in a list"),
    _row("list_position list_indexof array_position array_indexof", "[n, 2], 2", "where a value stands, from 1"),
    _row("list_has_any array_has_any list_has_all array_has_all", "[n, 2], [2]", "whether two lists share values"),
    _row("list_extract list_element array_extract", "[n, 2], 1", "the value at a place, as [n, 2][1]"),
    _row("list_slice array_slice", "[n, 2], 1, 1", "the values from a place to another"),
    _row("list_concat array_concat", "[n, 2], [3]", "two lists, one behind the other"),
    _row("list_append array_append", "[n, 2], n", "a list with one more value behind it"),
    _row("list_prepend array_prepend", "n, [n, 2]", "a list with one more value before it"),
    _row("list_sum list_avg list_min list_max list_median list_product", "[n, 2]", "an aggregate of the values"),
    _row("list_any_value list_first list_last list_stddev_samp list_var_samp", "[n, 2]", "the same"),
    _row("array_to_string", "[r, 'a'], ', '", "the values with a text between them"),
    _row("to_json json_array", "n", "a value as JSON, values as a list of JSON"),
    _row("json_object", "'n', n, 'r', r", "names and values as JSON"),
    _rows("first last arbitrary", "n", "of the rows in no order that is promised: MIN and MAX are the same each time"),
    _rows("arg_min_null arg_max_null", "r, n", "x where n is least or greatest, NULL as well"),
    _rows("favg kahan_sum fsum sumkahan sum_no_overflow", "n", "AVG and SUM"),
    _rows("weighted_avg wavg", "n, n", "the average with weights"),
    _rows("product", "n / 100", "the values, multiplied"),
    _rows("geomean geometric_mean", "n", "the geometric mean"),
    _rows("sem mad", "n", "the standard error, the median deviation from the median"),
    _rows("skewness kurtosis kurtosis_pop", "n", "of the distribution"),
    _rows("entropy", "n", "in bits, of how often each value is there"),
    _rows("bit_and bit_or bit_xor", "n", "of the bits of all values"),
)  # fmt: skip
"""In the order of docs/functions.md."""

RELEASED_NAMES: Mapping[str, ReleasedFunction] = MappingProxyType({n: f for f in RELEASED for n in f.names})
"""By name in lower case."""
RELEASED_OPERATORS = ("n & 3", "n | 3", "n << 3", "n >> 3", "[n, 2]", "[n, 2][1]", "r[1]")
"""Operators of released results, each in an expression as `example` is."""
