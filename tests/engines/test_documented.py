"""The engine settings that the documents name are settings of a policy."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dpsql.policy.model import Isolation
from engines.opened import clinic

DOCS = Path(__file__).parents[2] / "docs"
WRITTEN = re.findall(
    r"`(engine: \{[^.}]*\}|admin_log: [^`]*)`", (DOCS / "how-it-works.md").read_text(encoding="utf-8")
)


def test_the_page_names_some() -> None:
    assert len(WRITTEN) == 3


@pytest.mark.parametrize("line", WRITTEN)
def test_a_line_of_the_page_is_a_line_of_a_policy(tmp_path: Path, line: str) -> None:
    if line.startswith("engine"):
        inside = line.removeprefix("engine: {").removesuffix("}").removeprefix("isolation: process, ")
        policy = clinic(tmp_path, "process", inside)
        assert policy.engine.isolation is Isolation.PROCESS
        assert (policy.engine.memory, policy.engine.deadline) in ((4 * 10**9, None), (None, 5))
    else:
        assert clinic(tmp_path, "inline", more=line).admin_log == tmp_path / "failures.log"
