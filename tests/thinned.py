"""Long lists of cases: an ordinary run takes some of them, a slow one all."""

from collections.abc import Iterable

import pytest


def one_in(n: int, cases: Iterable[object], *, whole: bool = False) -> list[object]:
    """The cases, of which all but each n-th, the first among these, are `slow`.

    A tuple is the values of several parameters or, with `whole`, one value.
    """
    return [case if i % n == 0 else _slow(case, whole) for i, case in enumerate(cases)]


def _slow(case: object, whole: bool) -> object:
    values = case if isinstance(case, tuple) and not whole else (case,)
    return pytest.param(*values, marks=pytest.mark.slow)
