"""Numbers in sentences and tables for people."""

from __future__ import annotations

_WITHOUT_EXPONENT = 10**15


def four_digits(number: float) -> str:
    """The first four digits of a number, as 74,890 for 74,887.3; only the largest ones have an exponent."""
    rounded = float(f"{number:.4g}")
    return f"{rounded:,.0f}" if 1000 <= abs(rounded) < _WITHOUT_EXPONENT else f"{rounded:.4g}"
