"""Numbers of a policy written into its text, in which everything else stays as it is: comments, order, spelling."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date
from fractions import Fraction
from pathlib import Path

from dpsql.errors import PolicyError, Problem
from dpsql.policy.json_paths import arrow_text, declared_steps
from dpsql.policy.load import load_policy
from dpsql.policy.model import CalibratedDraw, Column, Policy, Table
from dpsql.policy.scalars import Leaf
from dpsql.policy.yaml_positions import Entry, Mapping, entries, parse
from dpsql.slotted import dataclass

_QUOTED = re.compile(r"\"(?:\\.|[^\"\\])*\"|'(?:''|[^'])*'")
_HEAD = (
    "# Limits above were taken from these draws of `dpsql calibrate`; every account begins with their cost."
)
_AFTER = {"unit_total": "upper", "max_rows_per_unit": "source"}


@dataclass(frozen=True, slots=True)
class Change:
    """A number of a table, or of one of its columns, that is to stand under a key."""

    table: str
    column: str | None
    key: str
    value: Fraction

    @property
    def written(self) -> str:
        """The number as a policy has it."""
        return decimal_text(self.value)


@dataclass(frozen=True, slots=True)
class _Edit:
    """What takes the place of some characters of a line; a whole new line where `line` is that of the one after it."""

    line: int
    at: int
    length: int
    text: str
    new_line: bool = False


def decimal_text(value: Fraction) -> str:
    """A number with finitely many decimals, without an exponent."""
    digits = 0
    while (value * 10**digits).denominator != 1:
        digits += 1
    whole = str(abs(int(value * 10**digits))).rjust(digits + 1, "0")
    sign = "-" if value < 0 else ""
    return f"{sign}{whole[:-digits]}.{whole[-digits:]}" if digits else sign + whole


def draw_text(draw: CalibratedDraw, day: date) -> str:
    """The entry of a draw under `calibrated`."""
    return (
        f"{draw.name}: {{epsilon: {decimal_text(draw.epsilon)}, histograms: {draw.histograms}, day: {day}}}"
    )


def changed(policy: Policy, changes: Sequence[Change], draw: CalibratedDraw) -> Policy:
    """The policy with other numbers, and the draw that they were taken from; its digest is the old one."""
    tables = tuple(_changed_table(t, [c for c in changes if c.table == t.name]) for t in policy.tables)
    return replace(policy, tables=tables, calibrated=tuple(dict.fromkeys((*policy.calibrated, draw))))


def _changed_table(table: Table, changes: Sequence[Change]) -> Table:
    rows = next((int(c.value) for c in changes if c.column is None), table.max_rows_per_unit)
    columns = tuple(_changed_column(c, [e for e in changes if e.column == c.name]) for c in table.columns)
    return replace(table, max_rows_per_unit=rows, columns=columns)


def _changed_column(column: Column, changes: Sequence[Change]) -> Column:
    for change in changes:
        whole = isinstance(column.lower, int) and change.key != "unit_total"
        value = int(change.value) if whole else change.value
        match change.key:
            case "lower":
                column = replace(column, lower=value)
            case "upper":
                column = replace(column, upper=value)
            case "unit_total":
                column = replace(column, unit_total=change.value)
    return column


def write_changes(
    policy: Policy, before: bytes, changes: Sequence[Change], draw: CalibratedDraw, day: date
) -> Policy:
    """Write the numbers and the draw into the policy's file, whose content was `before`; the policy as it is then.

    The file is replaced as a whole, once the new one says what it should. Raises PolicyError, and changes nothing,
    where the file is another by now or is written in a way that is not edited.
    """
    path = policy.path.resolve()
    if path.read_bytes() != before:
        raise _not_edited(policy.path, "it was changed meanwhile")
    marked = before.startswith(b"\xef\xbb\xbf")
    listing = None if draw in policy.calibrated else draw_text(draw, day)
    text = edited(before.decode("utf-8-sig"), policy.path, changes, listing)
    written = text.encode("utf-8-sig" if marked else "utf-8")
    beside, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(beside, "wb") as file:
            file.write(written)
            os.fchmod(file.fileno(), path.stat().st_mode & 0o7777)
            file.flush()
            os.fsync(file.fileno())
        after = _read_back(Path(name), policy, changed(policy, changes, draw))
        os.replace(name, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise
    return after


def _read_back(file: Path, policy: Policy, wanted: Policy) -> Policy:
    """The new file's policy, if it is the one that is wanted and nothing else."""
    after = replace(load_policy(file), path=policy.path)
    listed, known = (sorted(p.calibrated, key=lambda draw: draw.name) for p in (after, wanted))
    if listed != known or replace(after, digest=policy.digest, calibrated=wanted.calibrated) != wanted:
        raise _not_edited(policy.path, "it is written in a way that is not edited")
    return after


def _not_edited(path: Path, why: str) -> PolicyError:
    return PolicyError((Problem(str(path), None, "", f"{why}; write the proposal by hand"),))


def edited(text: str, file: Path, changes: Sequence[Change], draw: str | None) -> str:
    """The text with these numbers, and with the entry of a draw if it is not listed yet. Raises PolicyError."""
    tree, _ = parse(text, file)
    lines = text.split("\n")
    edits = [_edit(tree, lines, change, file) for change in changes]
    listed = tree.get("calibrated")
    if listed is not None and draw is not None:
        edits.append(_listed(listed, lines, draw, file))
    for edit in sorted(edits, key=lambda e: (e.line, e.at), reverse=True):
        if edit.new_line:
            ending = "\r" if lines[edit.line - 1].endswith("\r") else ""
            lines.insert(edit.line, edit.text + ending)
        else:
            line = lines[edit.line]
            lines[edit.line] = line[: edit.at] + edit.text + line[edit.at + edit.length :]
    if listed is None and draw is not None:
        lines = [*_to_the_end(lines, draw), ""]
    return "\n".join(lines)


def _to_the_end(lines: Sequence[str], draw: str) -> Iterator[str]:
    ending = "\r" if lines[0].endswith("\r") else ""
    kept = list(lines)
    while kept and not kept[-1].strip():
        kept.pop()
    yield from kept[:-1]
    yield kept[-1].rstrip("\r") + ending
    yield from (f"{line}{ending}" for line in ("", _HEAD, "calibrated:", f"  {draw}"))


def _edit(tree: Mapping, lines: Sequence[str], change: Change, file: Path) -> _Edit:
    """The number in the old one's place, or a new key behind one that is there."""
    part = _part(tree, change, file)
    entry = part.get(change.key)
    if entry is not None:
        line, start, end = _token(entry, lines, file)
        return _Edit(line, start, end - start, change.written)
    return _behind(part, _anchor(part, change, file), f"{change.key}: {change.written}", lines, file)


def _anchor(part: Mapping, change: Change, file: Path) -> Entry:
    names = ("unit_key", _AFTER["max_rows_per_unit"]) if change.column is None else (_AFTER["unit_total"],)
    found = next((e for name in names if (e := part.get(name)) is not None), None)
    if found is None:
        raise _not_edited(file, f"there is no place for {change.key}")
    return found


def _part(tree: Mapping, change: Change, file: Path) -> Mapping:
    """The mapping of the table or the column that a change is of."""
    path = ("tables", change.table, *_keys_of(tree, change))
    node = tree
    for step in path:
        entry = node.get(step)
        if entry is None or not isinstance(entry.value, Mapping):
            raise _not_edited(file, f"{'.'.join(path)} is not there")
        node = entry.value
    return node


def _keys_of(tree: Mapping, change: Change) -> tuple[str, ...]:
    """The keys under a table that lead to the column of a change, a field of JSON perhaps; none without a column."""
    if change.column is None:
        return ()
    table = next((e for e in entries(tree, "tables") if e.key == change.table), None)
    for column in entries(table.value, "columns") if table is not None else ():
        for field in entries(column.value, "fields"):
            if arrow_text(column.key, declared_steps(field.key)) == change.column:
                return "columns", column.key, "fields", field.key
    return "columns", change.column


def _behind(part: Mapping, entry: Entry, text: str, lines: Sequence[str], file: Path) -> _Edit:
    """A new key behind another: on a line of its own, or within braces."""
    line, _, end = _token(entry, lines, file)
    if lines[part.place.line - 1][part.place.column - 1 : part.place.column] == "{":
        return _Edit(line, end, 0, f", {text}")
    return _Edit(line + 1, 0, 0, " " * (entry.place.column - 1) + text, new_line=True)


def _listed(entry: Entry, lines: Sequence[str], draw: str, file: Path) -> _Edit:
    """The entry of a draw behind the last one."""
    if not isinstance(entry.value, Mapping) or not entry.value.entries:
        raise _not_edited(file, "calibrated is not a mapping")
    place, last = entry.value.place, entry.value.entries[-1]
    if lines[place.line - 1][place.column - 1 : place.column] == "{":
        return _Edit(place.line - 1, place.column, 0, f"{draw}, ")
    end = max((e.value.place.line for e in _leaves(last)), default=last.place.line)
    return _Edit(end, 0, 0, " " * (last.place.column - 1) + draw, new_line=True)


def _leaves(entry: Entry) -> tuple[Entry, ...]:
    return entry.value.entries if isinstance(entry.value, Mapping) else ()


def _token(entry: Entry, lines: Sequence[str], file: Path) -> tuple[int, int, int]:
    """The line of a scalar, from 0, and where it begins and ends there."""
    leaf = entry.value
    if isinstance(leaf, Leaf):
        line, start = leaf.place.line - 1, leaf.place.column - 1
        quoted = _QUOTED.match(lines[line], start)
        if quoted:
            return line, start, quoted.end()
        if lines[line].startswith(leaf.text, start):
            return line, start, start + len(leaf.text)
    raise _not_edited(file, f"{entry.key} is not one word on its line")
