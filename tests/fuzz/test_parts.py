"""A release that is confined to parts of a partition does not move at all with a unit of another part."""

from __future__ import annotations

from pathlib import Path

from dpsql.audit.sensitivity import fuzz
from fuzz.worlds import PARTED, subjects

EXECUTIONS = 28


def test_a_unit_of_another_part_moves_nothing_of_a_release_that_is_confined(
    tmp_path: Path, executions: int, fuzz_seed: int
) -> None:
    count = executions or EXECUTIONS
    tried = fuzz(subjects(PARTED, tmp_path), tmp_path, fuzz_seed, lambda tried: tried.executions >= count)
    assert not tried.violations, "\n".join(map(str, tried.violations))
    assert tried.apart, tried
