"""The binder names operations of the function table by hand: each name must be there."""

from __future__ import annotations

import pytest

from dpsql.algebra.functions import FUNCTIONS
from dpsql.sql.bind import binder as bind


@pytest.mark.parametrize("table", [bind._BINARY, bind._UNARY, bind._CALLED])
def test_every_operation_that_the_binder_names_is_in_the_function_table(
    table: dict[type, str],
) -> None:
    assert set(table.values()) <= set(FUNCTIONS)
