"""Days and moments that Python does not have, which DuckDB gives as texts: those before the year 1 and after 9999."""

from __future__ import annotations

import re
from datetime import date
from typing import Final

_FAR: Final = re.compile(
    r"(\d{4,7})-(\d\d)-(\d\d)( \(BC\))?( (\d\d):(\d\d):(\d\d)(?:\.(\d{1,6}))?)?(?:\+00)?", re.ASCII
)
END_OF_DAY = "24:00:00"
"""The one time that Python does not have, which DuckDB gives as this text."""
_YEARS, _DAYS = 400, 146_097  # after so many years, which are so many days, the calendar is the same again
_FIRST_YEAR: Final = 2000
# The earliest that the binary format has, which clients read as -infinity. DuckDB has thirty years before it, and to
# fail with them would be to fail after a charge.
_FIRST_DAY: Final = -(2**31)
_FIRST_MOMENT: Final = -(2**63)


def far_text(value: object, zone: str = "") -> str | None:
    """A far day or moment as PostgreSQL writes it, with BC behind the zone; None for anything else."""
    if (far := _far(value)) is None:
        return None
    clock = (far[5] or "").rstrip("0") if far[9] else far[5] or ""
    return f"{far[1]}-{far[2]}-{far[3]}{clock}{zone}{' BC' if far[4] else ''}"


def far_days(value: object) -> int | None:
    """The days of a far day since 2000-01-01, as far back as they can be sent; None for anything else."""
    far = _far(value)
    return None if far is None else max(_days(far), _FIRST_DAY)


def _days(far: re.Match[str]) -> int:
    year = 1 - int(far[1]) if far[4] else int(far[1])
    rounds, year = divmod(year - _FIRST_YEAR, _YEARS)
    like = date(_FIRST_YEAR + year, int(far[2]), int(far[3]))
    return rounds * _DAYS + (like - date(_FIRST_YEAR, 1, 1)).days


def far_microseconds(value: object) -> int | None:
    """The microseconds of a far moment since 2000-01-01, as far back as they can be sent; None for anything else."""
    far = _far(value)
    if far is None or far[5] is None:
        return None
    seconds = ((_days(far) * 24 + int(far[6])) * 60 + int(far[7])) * 60 + int(far[8])
    return max(seconds * 1_000_000 + int((far[9] or "").ljust(6, "0")), _FIRST_MOMENT)


def _far(value: object) -> re.Match[str] | None:
    found = _FAR.fullmatch(value) if isinstance(value, str) else None
    return found if found is not None and (found[4] or len(found[1]) > 4) else None
