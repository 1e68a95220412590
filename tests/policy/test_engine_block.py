"""The engine part of a policy, and the admin's log: read strictly, defaults where left out, no part of the digest."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from dpsql.policy.model import EngineLimits, Isolation, Policy

Load = Callable[[str], Policy]
FULL = """\
engine:
  isolation: process
  memory: 4GB
  threads: 2
  seconds: 30
  temp_directory: spill
  deadline: 2.5
  prepared: shop.prepared
admin_log: logs/failures.log
"""


def test_without_an_engine_part_the_engines_run_inline_and_write_nothing(load: Load, shop: str) -> None:
    policy = load(shop)
    assert policy.engine == EngineLimits(Isolation.INLINE, None, None, 600, None, None)
    assert policy.admin_log is None


def test_every_key_is_read_and_paths_are_relative_to_the_policy(load: Load, shop: str) -> None:
    policy = load(shop + FULL)
    folder = policy.path.parent
    assert policy.engine == EngineLimits(
        Isolation.PROCESS, 4 * 10**9, 2, 30, folder / "spill", Fraction(5, 2), folder / "shop.prepared"
    )
    assert policy.admin_log == folder / "logs" / "failures.log"


@pytest.mark.parametrize(
    ("written", "size"),
    [
        ("67108864", 2**26),
        ("64MiB", 2**26),
        ("100000KB", 10**8),
        ("512 MiB", 2**29),
        ("'2GB'", 2 * 10**9),
        ("1GiB", 2**30),
        ("1TiB", 2**40),
    ],
)
def test_memory_is_bytes_or_a_whole_number_with_a_unit(
    load: Load, shop: str, written: str, size: int
) -> None:
    assert load(f"{shop}engine: {{memory: {written}}}\n").engine.memory == size


def test_how_the_engines_run_does_not_change_what_the_policy_is(load: Load, shop: str) -> None:
    assert load(shop + FULL).digest == load(shop).digest


def test_an_absolute_path_stands_as_it_is(load: Load, shop: str) -> None:
    assert load(shop + "admin_log: /var/log/dpsql.log\n").admin_log == Path("/var/log/dpsql.log")
