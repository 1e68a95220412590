"""Fixtures: a good policy's text, and loading a text from a file that is named policy.yaml in messages."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from shop_policy import SHOP

from dpsql.errors import PolicyError
from dpsql.policy.load import load_policy
from dpsql.policy.model import Policy


@pytest.fixture
def shop() -> str:
    return SHOP


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Policy]:
    """Loads a policy's text from `policy.yaml` in an otherwise empty folder."""
    monkeypatch.chdir(tmp_path)

    def from_text(text: str) -> Policy:
        Path("policy.yaml").write_bytes(text.encode("utf-8", "surrogatepass"))
        return load_policy("policy.yaml")

    return from_text


@pytest.fixture
def mistakes(load: Callable[[str], Policy]) -> Callable[[str], list[str]]:
    """The message's lines for a text that is no policy."""

    def of(text: str) -> list[str]:
        with pytest.raises(PolicyError) as caught:
            load(text)
        assert str(caught.value).splitlines() == [str(p) for p in caught.value.problems]
        return [str(p).removeprefix("policy.yaml:") for p in caught.value.problems]

    return of
