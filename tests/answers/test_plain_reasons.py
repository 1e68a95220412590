"""Every reason that a plan gives for a sensitivity has plain words where it is shown."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import dpsql.plan
from dpsql.release.explain.sums import plain_reason

JARGON = re.compile(r"hi - lo|\*\*|\|x\||\bcells?\b|spends|so many (rows|groups|different)|centred|threshold")
JOINT = (
    "each row spends exactly (hi - lo) of y (hi - lo) of x over the cells",
    "each row spends exactly (hi - lo)**2 of y (hi - lo)**2 of x over the cells",
)
# The texts of two columns are put together of these.
PIECES = {"each row spends exactly ", " ", "(hi - lo)", "**2", " of {}", "{} over the cells"}


def _texts_of(node: ast.expr) -> Iterator[str]:
    """The texts that an expression can be, with 3 for a number."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        parts = (str(p.value) if isinstance(p, ast.Constant) else "3" for p in node.values)
        yield re.sub(r"^3(?=;)", "a unit is counted once", "".join(parts))
    elif isinstance(node, ast.IfExp):
        yield from (*_texts_of(node.body), *_texts_of(node.orelse))
    elif isinstance(node, ast.Tuple):
        yield from (t for e in node.elts for t in _texts_of(e))
    elif isinstance(node, ast.BinOp):
        yield from (*_texts_of(node.left), *_texts_of(node.right))


def _reasons(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] in {
            *("Family", "direct", "_alone", "replace"),
        }:
            yield from (t for a in node.args[2:] for t in _texts_of(a))
            yield from (t for k in node.keywords if k.arg == "because" for t in _texts_of(k.value))
        if isinstance(node, ast.Assign | ast.AugAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = {n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)}
            if names & {"because", "_BECAUSE", "each", "why"}:
                yield from _texts_of(node.value)


def _written() -> set[str]:
    (folder,) = dpsql.plan.__path__
    trees = (ast.parse(p.read_text(encoding="utf-8")) for p in Path(folder).rglob("*.py"))
    found = {text for tree in trees for text in _reasons(tree)}
    total = "a unit's |x| add up to at most its unit_total"
    multiple = ", and a multiple of x to as many times that"
    made = {t for t in found if t in ("", multiple) or t.startswith(("each row spends exactly ", "3 over"))}
    kept = {t for t in found - made if " " in t.strip() and not t.strip().startswith("of ")}
    assert total in found and multiple in found
    return {
        *kept,
        total + multiple,
        *JOINT,
        *(t for t in made if t.endswith("over the cells") and t[0] == "e"),
    }


WRITTEN = sorted(_written())


def test_the_reasons_of_plans_are_found() -> None:
    assert len(WRITTEN) >= 24
    assert "each row spends exactly hi - lo over the cells" in WRITTEN
    assert (
        "each unit's contribution is scaled to a threshold that is found privately for this query" in WRITTEN
    )
    assert any("group 3 of 3" in t for t in WRITTEN) and any("3 conditions" in t for t in WRITTEN)


@pytest.mark.parametrize("because", WRITTEN)
def test_each_reason_has_plain_words(because: str) -> None:
    said = plain_reason(because)
    assert not JARGON.search(said), said
    assert said != because or "group 3 of 3" in because, "it has no words of its own"
    assert "3" in said or "3" not in because, "its numbers are told"


def test_a_reason_of_several_is_told_piece_by_piece() -> None:
    count, both = "a unit owns at most so many rows", "each row spends exactly hi - lo over the cells"
    joined = f"no row counts in two of 5 conditions that exclude each other: {count}, or {both}"
    said = plain_reason(f"{joined}; without the rows that count elsewhere")
    assert said.startswith("5 conditions share one noise")
    assert f"{plain_reason(count)}, or {plain_reason(both)}; the rows of narrower" in said
