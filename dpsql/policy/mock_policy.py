"""The text of a policy over other sources: the same policy, word by word, whose tables are made-up ones."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import assert_never

from dpsql.policy.model import Policy
from dpsql.policy.scalars import Leaf
from dpsql.policy.yaml_positions import Entry, Items, Node, parse, read_text
from dpsql.policy.yaml_positions import Mapping as Tree

_HEAD = "# The policy {} over made-up rows: written by `dpsql mock`, with no row of the data behind it.\n"
# How a source is read, and what the machine of the data has.
_OF_SOURCES = ("source", "format", "view")
_OF_MACHINE = ("admin_log", "temp_directory", "prepared")
_DEEPEST = 3
_READ_AS_OTHER = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf"})


def dataset_name(policy: Policy) -> str:
    """The name that the made-up data has in a ledger: never that of the data itself."""
    return f"{policy.dataset.name}-mock"


def mock_policy_text(policy: Policy, files: Mapping[str, str]) -> str:
    """The policy's file with these sources, by table. Comments are left out. Raises PolicyError."""
    tree, _ = parse(read_text(policy.path), policy.path)
    return _HEAD.format(policy.path.name) + "".join(_block(_changed(tree, policy, files), 0))


def same_but_for_sources(policy: Policy, mock: Policy) -> bool:
    """Whether a policy says of its tables what another does."""
    own, other = ([replace(t, source=None, view=None) for t in p.tables] for p in (policy, mock))  # type: ignore[arg-type]
    return own == other and policy.privacy == mock.privacy and policy.accountant == mock.accountant


def _changed(tree: Tree, policy: Policy, files: Mapping[str, str]) -> Tree:
    tree = _without(tree, _OF_MACHINE)
    tables = [_over(table, files[table.key]) for table in _entries(tree, "tables")]
    budgets = tree.get("budgets")
    if budgets is not None and isinstance(budgets.value, Tree):
        tree = _with(tree, "budgets", _named(budgets.value, dataset_name(policy)))
    engine = tree.get("engine")
    if engine is not None and isinstance(engine.value, Tree):
        tree = _with(tree, "engine", _without(engine.value, _OF_MACHINE))
    return _with(tree, "tables", Tree(tuple(tables), tree.place))


def _entries(tree: Tree, key: str) -> tuple[Entry, ...]:
    entry = tree.get(key)
    return entry.value.entries if entry is not None and isinstance(entry.value, Tree) else ()


def _over(table: Entry, file: str) -> Entry:
    assert isinstance(table.value, Tree), "a loaded policy has tables of this shape"
    source = Entry("source", table.place, Leaf(file, file, table.place))
    return replace(table, value=Tree((source, *_without(table.value, _OF_SOURCES).entries), table.place))


def _named(budgets: Tree, name: str) -> Tree:
    dataset = budgets.get("dataset")
    assert dataset is not None and isinstance(dataset.value, Tree), "a loaded policy has a dataset"
    named = Entry("name", dataset.place, Leaf(name, name, dataset.place))
    return _with(
        budgets, "dataset", Tree((named, *_without(dataset.value, ("name",)).entries), dataset.place)
    )


def _without(tree: Tree, keys: tuple[str, ...]) -> Tree:
    return Tree(tuple(e for e in tree.entries if e.key not in keys), tree.place)


def _with(tree: Tree, key: str, value: Node) -> Tree:
    return Tree(tuple(replace(e, value=value) if e.key == key else e for e in tree.entries), tree.place)


def _block(tree: Tree, depth: int) -> Iterator[str]:
    """Tables and their columns on lines of their own, the rest in braces."""
    for entry in tree.entries:
        key = f"{'  ' * depth}{_text(entry.key)}:"
        if isinstance(entry.value, Tree) and entry.value.entries and depth < _DEEPEST:
            yield f"{key}\n"
            yield from _block(entry.value, depth + 1)
        else:
            yield f"{key} {_flow(entry.value)}\n"


def _flow(node: Node) -> str:
    match node:
        case Leaf():
            return _text(node.text) if isinstance(node.value, str) else node.text
        case Items():
            return f"[{', '.join(map(_flow, node.items))}]"
        case Tree():
            return f"{{{', '.join(f'{_text(e.key)}: {_flow(e.value)}' for e in node.entries)}}}"
    assert_never(node)


def _text(text: str) -> str:
    """A text as YAML reads it back: plain where it is a word that means nothing else."""
    words = text.isascii() and all(part.isidentifier() for part in text.split("."))
    if words and text.lower() not in _READ_AS_OTHER:
        return text
    return json.dumps(text, ensure_ascii=not text.isprintable())
