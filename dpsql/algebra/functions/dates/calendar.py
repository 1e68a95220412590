"""The proleptic Gregorian calendar on day numbers, beyond the years that `datetime` knows."""

from __future__ import annotations

import calendar as _months

# H. Hinnant, "chrono-compatible low-level date algorithms": days are counted in eras of 400 years that begin
# on 1 March.
_ERA_DAYS = 146_097
_EPOCH_SHIFT = 719_468


def day_number(year: int, month: int, day: int) -> int:
    """Days since 1970-01-01; months beyond 12 are not normalised."""
    y = year - (month <= 2)
    era, of_era = divmod(y, 400)
    of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    return era * _ERA_DAYS + of_era * 365 + of_era // 4 - of_era // 100 + of_year - _EPOCH_SHIFT


def civil(days: int) -> tuple[int, int, int]:
    """Year, month and day of a day number."""
    era, of_era = divmod(days + _EPOCH_SHIFT, _ERA_DAYS)
    year_of_era = (of_era - of_era // 1460 + of_era // 36524 - of_era // 146096) // 365
    of_year = of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    shifted = (5 * of_year + 2) // 153
    month = shifted + 3 if shifted < 10 else shifted - 9
    return year_of_era + era * 400 + (month <= 2), month, of_year - (153 * shifted + 2) // 5 + 1


def month_length(year: int, month: int) -> int:
    """The number of days of a month."""
    return (
        29
        if month == 2 and _months.isleap(year)
        else (0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)[month]
    )


def add_months(days: int, months: int) -> int:
    """The same day of another month, or that month's last day."""
    year, month, day = civil(days)
    years, index = divmod(month - 1 + months, 12)
    year, month = year + years, index + 1
    return day_number(year, month, min(day, month_length(year, month)))
