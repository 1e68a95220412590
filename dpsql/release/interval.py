"""How far a released number may be from the truth: by its noise alone, and by an estimate of all that is left out."""

from __future__ import annotations

from dpsql.slotted import dataclass


@dataclass(frozen=True, slots=True)
class Span:
    """From low to high."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Interval95:
    """The 95 % interval of one released cell; it speaks of noise, not of clipping or bounding bias.

    `total` is there where a limit was found for the query, for counts and sums of values that are never negative: an
    estimate that also has room for what the limit leaves out. It supposes groups alike, and is not one of 95 %.
    """

    low: float
    high: float
    total: Span | None = None

    @property
    def noise(self) -> Span:
        """The same 95 % interval by another name: of the noise alone."""
        return Span(self.low, self.high)
