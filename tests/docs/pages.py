"""The pages of docs: what is fenced in them, and a session under the policy that a page shows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb

from dpsql.mechanisms import ExactSampler
from dpsql.policy.load import load_policy
from dpsql.session import Session, build_session

DOCS = Path(__file__).parents[2] / "docs"


def text_of(page: str) -> str:
    """The text of a page."""
    return (DOCS / page).read_text(encoding="utf-8")


def fenced(text: str, kind: str) -> list[str]:
    """Every block of a kind."""
    return re.findall(rf"```{kind}\n(.*?)```", text, flags=re.DOTALL)


@contextmanager
def opened(text: str, source: str, data: str, folder: Path) -> Iterator[Session]:
    """Alice's session under the only policy of a page, whose source is a DuckDB file made by `data`."""
    with duckdb.connect(str(folder / source)) as connection:
        connection.execute(data)
    (policy,) = fenced(text, "yaml")
    (folder / "policy.yaml").write_text(policy, encoding="utf-8")
    session = build_session(load_policy(folder / "policy.yaml"), "alice", None, (None, None), ExactSampler())
    yield session
    session.close()
