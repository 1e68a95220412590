"""Parses YAML to a tree with the line and column of every key and value; `yaml` is imported here alone.

The tree is built from parser events, which still show anchors, aliases and tags: these are refused before anything is
expanded, and depth is limited before anything recurses.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from pathlib import Path
from typing import NoReturn

import yaml

from dpsql.errors import InternalError, Place, PolicyError, Problem
from dpsql.policy.scalars import Leaf, Unreadable, plain_value, shown
from dpsql.slotted import dataclass

MAX_BYTES = 1_000_000
MAX_DEPTH = 20
_TOO_DEEP = f"nested more than {MAX_DEPTH} levels deep"
_EMPTY = "the policy is empty; `dpsql init` writes a skeleton"

KeyPath = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """One `key: value` of a mapping; `place` is the key's."""

    key: str
    place: Place
    value: Node


@dataclass(frozen=True, slots=True)
class Mapping:
    """A YAML mapping in its written order; keys are unique (the first of equal keys stands)."""

    entries: tuple[Entry, ...]
    place: Place
    _by_key: dict[str, Entry] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_by_key", {e.key: e for e in self.entries})

    def get(self, key: str) -> Entry | None:
        """The entry of exactly that key, or None."""
        return self._by_key.get(key)


@dataclass(frozen=True, slots=True)
class Items:
    """A YAML sequence."""

    items: tuple[Node, ...]
    place: Place


Node = Leaf | Mapping | Items
_Tagged = yaml.ScalarEvent | yaml.CollectionStartEvent


def path_text(path: KeyPath) -> str:
    """`tables.orders.columns.amount`; a name that is not a plain word stands in quotes."""
    return ".".join(k if k.replace("_", "a").isalnum() or k.startswith("[") else shown(k) for k in path)


def read_text(path: Path) -> str:
    """The file's text. Raises PolicyError where it is missing, unreadable, too long, empty or not UTF-8."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        _fail(path, None, f"the policy cannot be read: {reason.lower()}")
    if len(data) > MAX_BYTES:
        _fail(path, None, f"the policy is longer than {MAX_BYTES} bytes")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        _fail(path, Place(line, 1), "this line is not UTF-8 text")
    if not text.strip():
        _fail(path, None, _EMPTY)
    return text


def parse(text: str, file: Path) -> tuple[Mapping, tuple[Problem, ...]]:
    """The tree of a policy's text, and the mistakes that leave the rest readable.

    Reported: duplicate keys, anchors, aliases, merge keys, tags, keys that are not text.
    Raises PolicyError where there is no tree: not YAML, several documents, no mapping, nested too deeply.
    """
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        builder = _Builder(yaml.parse(text, Loader=loader), file)
        root = builder.document()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = Place(mark.line + 1, mark.column + 1) if mark else None
        # PyYAML looks ahead, to where a limit of its own is.
        if "nesting depth" in (error.problem or ""):
            _fail(file, place, _TOO_DEEP)
        _fail(file, place, f"not valid YAML: {error.problem or error.context}")
    except yaml.YAMLError:
        _fail(file, None, "not valid YAML: it holds a character that YAML does not allow")
    if not isinstance(root, Mapping):
        _fail(file, root.place, "a policy is a mapping that begins with `version: 1`")
    return root, tuple(builder.problems)


class _Builder:
    """Reads parser events, in order, into a tree."""

    def __init__(self, events: Iterator[yaml.Event], file: Path) -> None:
        self._events = events
        self._file = file
        self.problems: list[Problem] = []

    def document(self) -> Node:
        next(self._events)  # the stream's start
        if not isinstance(next(self._events), yaml.DocumentStartEvent):
            _fail(self._file, None, _EMPTY)
        first = next(self._events)
        root = self._node(first, ())
        next(self._events)  # the document's end
        after = next(self._events)
        if not isinstance(after, yaml.StreamEndEvent):
            _fail(self._file, _place(after), "a second document begins here; a policy is one document")
        return root

    def _node(self, event: yaml.Event, path: KeyPath) -> Node:
        place = _place(event)
        if len(path) > MAX_DEPTH:
            _fail(self._file, place, _TOO_DEEP)
        if isinstance(event, yaml.AliasEvent):
            self._report(place, path, "aliases (*name) are not used in a policy; write the value out")
            return Leaf("*", Unreadable("an alias"), place)
        if isinstance(event, yaml.MappingStartEvent):
            self._plain(event, place, path)
            return self._mapping(place, path)
        if isinstance(event, yaml.SequenceStartEvent):
            self._plain(event, place, path)
            return self._items(place, path)
        if not isinstance(event, yaml.ScalarEvent):
            raise InternalError(f"unexpected {type(event).__name__} in a policy")
        self._plain(event, place, path)
        # Quoted and block scalars are text; only plain ones are numbers, dates, booleans or nothing.
        return Leaf(event.value, event.value if event.style else plain_value(event.value), place)

    def _plain(self, event: _Tagged, place: Place, path: KeyPath) -> None:
        if event.anchor is not None:
            self._report(place, path, "anchors (&name) are not used in a policy; remove it")
        if event.tag not in (None, "!"):
            self._report(place, path, "tags (!name) are not used in a policy; remove it, and quote a text")

    def _mapping(self, place: Place, path: KeyPath) -> Mapping:
        entries: dict[str, Entry] = {}
        for event in self._until(yaml.MappingEndEvent):
            at = _place(event)
            key = self._key(event, at, path)
            value = self._node(next(self._events), (*path, key or "?"))
            if key is None:
                continue
            if key in entries:
                line = entries[key].place.line
                self._report(at, (*path, key), f"given twice; the first is on line {line}, keep one of them")
            else:
                entries[key] = Entry(key, at, value)
        return Mapping(tuple(entries.values()), place)

    def _key(self, event: yaml.Event, at: Place, path: KeyPath) -> str | None:
        node = self._node(event, (*path, "?"))
        if isinstance(event, yaml.AliasEvent):
            return None
        if not isinstance(node, Leaf) or not isinstance(event, yaml.ScalarEvent):
            self._report(at, path, "a key is a single word, not a list or a mapping")
            return None
        if node.text == "<<" and not event.style:
            self._report(at, path, "merge keys (<<) are not used in a policy; write the keys out")
            return None
        return node.text

    def _items(self, place: Place, path: KeyPath) -> Items:
        events = self._until(yaml.SequenceEndEvent)
        return Items(tuple(self._node(e, (*path, f"[{i}]")) for i, e in enumerate(events)), place)

    def _until(self, end: type[yaml.Event]) -> Iterator[yaml.Event]:
        while not isinstance(event := next(self._events), end):
            yield event

    def _report(self, place: Place, path: KeyPath, message: str) -> None:
        self.problems.append(Problem(str(self._file), place, path_text(path), message))


def _place(event: yaml.Event) -> Place:
    mark = event.start_mark
    return Place(mark.line + 1, mark.column + 1) if mark else Place(1, 1)


def _fail(file: Path, place: Place | None, message: str) -> NoReturn:
    raise PolicyError((Problem(str(file), place, "", message),))


def entries(node: Node, key: str) -> tuple[Entry, ...]:
    """The entries of the mapping under a key; none where it is missing or no mapping."""
    entry = node.get(key) if isinstance(node, Mapping) else None
    return entry.value.entries if entry and isinstance(entry.value, Mapping) else ()


def column_names(table: Entry) -> tuple[str, ...]:
    """The columns that a table lists, as written."""
    return tuple(c.key for c in entries(table.value, "columns"))
