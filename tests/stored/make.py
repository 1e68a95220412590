"""Makes what is committed in data/: run by the version whose stored answers are to be kept.

PYTHONPATH=<tree of that version>:tests python tests/stored/make.py <an empty folder> ledger|keys

What is committed is never made anew: that would hide a key that has changed. Only keys of new questions are added.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from unittest.mock import patch

from answers.cases import CASES, Case, read_cases

import dpsql.session
import dpsql.stages.state
from dpsql.accounting.ledger.ledger import Ledger
from dpsql.errors import QueryRefused
from dpsql.session import Session
from stored.shop import (
    ANSWERS,
    ASKED,
    KEYS,
    LATER,
    LEDGER,
    TEXTS,
    Asked,
    keys_of,
    make_shop,
    opened,
    policies,
    said,
)

# Long ago, so that no clock stands before it.
CREATED = 1_735_689_600
# What depends on the day that a query is asked on has another key on the next.
MOMENTS = ("now", "current", "today")
MOST = 420


def make_ledger(shop: Path) -> None:
    """Asks all questions on a new ledger, and packs it and what was answered."""
    if LEDGER.exists():
        raise SystemExit("the committed ledger is never made anew")
    answers = []
    # A ledger says where its sources stand: none are noted, and a test notes those of the folder it works in.
    begun = partial(Ledger.open, clock=lambda: CREATED)
    with ExitStack() as patched:
        patched.enter_context(patch.object(Ledger, "open", begun))
        for module in (dpsql.session, dpsql.stages.state):
            patched.enter_context(patch.object(module, "fingerprints", lambda policy: ()))
        for asked in ASKED:
            with opened(shop, asked) as session:
                rows, epsilon, _ = said(session, asked.sql)
            assert epsilon > 0, asked
            answers.append(rows)
    with closing(Ledger.open(shop / "shop.ledger", dataset="shop")) as ledger:
        assert ledger.verify() == ()
    LEDGER.write_bytes(gzip.compress((shop / "shop.ledger").read_bytes(), 9, mtime=0))
    lines = "\n".join(json.dumps(rows, ensure_ascii=False) for rows in answers)
    ANSWERS.write_text(f"{lines}\n", encoding="utf-8")


def make_keys(shop: Path) -> None:
    """Adds the keys and the texts of the cases that are not there yet."""
    lines = KEYS.read_text(encoding="utf-8").splitlines() if KEYS.exists() else []
    known = {(found["policy"], found["sql"]) for found in map(json.loads, lines)}
    texts = set(gzip.decompress(TEXTS.read_bytes()).decode().split("\n")) if TEXTS.exists() else set()
    with ExitStack() as stack:
        sessions: dict[str, Session] = {}
        for case in _cases():
            if (case.policy, case.sql) not in known:
                if case.policy not in sessions:
                    asked = Asked(case.policy, "")
                    sessions[case.policy] = stack.enter_context(opened(shop, asked))
                try:
                    found, canonical = keys_of(sessions[case.policy], case.sql, case.params)
                except QueryRefused:  # under the policies that are kept here
                    continue
                entry = {"policy": case.policy, "sql": case.sql, "params": case.params, "keys": found}
                lines.append(json.dumps(entry, ensure_ascii=False))
                texts.update(canonical)
    KEYS.write_text("\n".join(lines) + "\n", encoding="utf-8")
    packed = "\n".join(sorted(texts - {""})).encode()
    TEXTS.write_bytes(gzip.compress(packed, 9, mtime=0))


def _cases() -> Iterator[Case]:
    """What the ledger was asked, what came later, and cases from every file."""
    for asked in (*ASKED, *LATER):
        yield Case("asked", "", asked.sql, asked.policy, None, ())
    every = [c for p in sorted(CASES.glob("*.sql")) if p.stem != "refused" for c in read_cases(p)]
    kept = [c for c in every if c.policy in policies() and not any(m in c.sql.lower() for m in MOMENTS)]
    yield from kept[:: len(kept) // MOST + 1]


if __name__ == "__main__":
    print("made by", dpsql.__file__)
    {"ledger": make_ledger, "keys": make_keys}[sys.argv[2]](make_shop(Path(sys.argv[1])))
