"""docs/decisions/README.md is the index of the pages beside it: each has one line, with a date and a status."""

from __future__ import annotations

import re
from collections import Counter
from datetime import date

import pytest
from pages import DOCS

FOLDER = DOCS / "decisions"
INDEX = (FOLDER / "README.md").read_text(encoding="utf-8")
NAMES = sorted(page.stem for page in FOLDER.glob("*.md") if page.name != "README.md")
ROW = re.compile(r"^\| \[(.+)\]\((.+)\.md\) \| (.+) \| (.+) \| (.+) \|$", flags=re.MULTILINE)
ROWS = ROW.findall(INDEX)
REPLACED = re.compile(r"replaced by \[(.+)\]\(\1\.md\)")


def test_every_page_has_one_line_and_every_line_a_page() -> None:
    assert Counter(row[1] for row in ROWS) == Counter(NAMES)
    assert all(shown == page for shown, page, *_ in ROWS)


@pytest.mark.parametrize("name", NAMES)
def test_a_page_is_named_in_lower_case_words_with_hyphens(name: str) -> None:
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name)


@pytest.mark.parametrize(("page", "decided", "since", "status"), [row[1:] for row in ROWS])
def test_a_line_says_what_was_decided_and_since_when_it_holds(
    page: str, decided: str, since: str, status: str
) -> None:
    assert decided[-1] == "." and len(decided) > 40
    assert date.fromisoformat(since)
    by = REPLACED.match(status)
    assert status.startswith("in force") or by is not None, "in force, or replaced by [page](page.md)"
    if by is not None:
        head = (FOLDER / f"{page}.md").read_text(encoding="utf-8").splitlines()[:4]
        assert by.group(1) in NAMES and f"({by.group(1)}.md)" in "".join(head)
