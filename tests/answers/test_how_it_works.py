"""docs/how-it-works.md shows what happens: its example runs and prints what stands below it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

DOCUMENT = Path(__file__).parents[2] / "docs" / "how-it-works.md"


def block(kind: str) -> str:
    (found,) = re.findall(rf"```{kind}\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), flags=re.DOTALL)
    return str(found)


def test_the_example_prints_what_the_page_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "survey.yaml").write_text(block("yaml"), encoding="utf-8")
    (tmp_path / "survey.csv").write_text(
        "person,region,age,income\n1,north,40,100\n2,west,50,90\n", encoding="utf-8"
    )
    monkeypatch.chdir(tmp_path)
    exec(compile(block("python"), str(DOCUMENT), "exec"), {})
    assert capsys.readouterr().out == block("text")
