"""Regular expressions on private rows: constant patterns of a grammar that the engine always accepts.

RE2 matches in time linear in the text (R. Cox, "Regular Expression Matching in the Wild", 2010), and refuses what it
cannot: a pattern is therefore read here first, and only a part of RE2's syntax is let through, of a bounded size.
"""

from __future__ import annotations

from dataclasses import dataclass

from dpsql.functions.table import Mistyped

_MOST_BYTES = 200
_MOST_REPEATS = 100
_MOST_DEPTH = 20
_ENDS = "^$"
_QUANTIFIERS = "*+?{"
_CLASSES = "dDwWsS"
_BOUNDARIES = "bB"
_PUNCTUATION = frozenset("\\.+*?()[]{}|^$-/ '\"#&,:;<>=!%@~`")
_KNOWN = (
    "REGEXP_MATCHES, _FULL_MATCH, _EXTRACT and _REPLACE take a constant pattern of letters, ., classes such as "
    f"[a-z], \\d \\w \\s \\b, ( ), |, ^, $, and *, +, ?, {{n,m}} up to {_MOST_REPEATS}, at most {_MOST_BYTES} bytes"
)


def check_pattern(pattern: object) -> int:
    """How many groups in parentheses a pattern counts. Raises Mistyped for one that is no constant of the grammar."""
    if not isinstance(pattern, str) or len(pattern.encode(errors="replace")) > _MOST_BYTES:
        raise Mistyped(_KNOWN)
    if not all(c.isprintable() for c in pattern):
        raise Mistyped(_KNOWN)
    reader = _Reader(pattern)
    reader.alternatives(0)
    if reader.at < len(pattern):
        raise reader.refusal()
    return reader.groups


@dataclass(slots=True)
class _Reader:
    """Reads a pattern from left to right; `counted` says that a {n,m} was read since it was last set."""

    pattern: str
    at: int = 0
    counted: bool = False
    groups: int = 0

    def refusal(self) -> Mistyped:
        return Mistyped(f"the pattern cannot be read at its character {self.at + 1}. {_KNOWN}")

    def _peek(self) -> str:
        return self.pattern[self.at : self.at + 1]

    def _take(self) -> str:
        found = self._peek()
        if not found:
            raise self.refusal()
        self.at += 1
        return found

    def alternatives(self, depth: int) -> None:
        if depth > _MOST_DEPTH:
            raise self.refusal()
        self._sequence(depth)
        while self._peek() == "|":
            self._take()
            self._sequence(depth)

    def _sequence(self, depth: int) -> None:
        while self._peek() not in ("", "|", ")"):
            before, self.counted = self.counted, False
            repeatable = self._atom(depth)
            if self._peek() and self._peek() in _QUANTIFIERS:
                self._quantifier(repeatable)
            self.counted |= before

    def _atom(self, depth: int) -> bool:
        """Reads one piece; whether it may be repeated."""
        char = self._take()
        if char == "(":
            self._group(depth)
        elif char == "[":
            self._class()
        elif char == "\\":
            return self._escape(_CLASSES + _BOUNDARIES) not in _BOUNDARIES
        elif char in _QUANTIFIERS or char in "]}":
            self.at -= 1
            raise self.refusal()
        return char not in _ENDS

    def _group(self, depth: int) -> None:
        if self.pattern.startswith("?:", self.at):
            self.at += 2
        else:
            self.groups += 1
        self.alternatives(depth + 1)
        if self._take() != ")":
            raise self.refusal()

    def _escape(self, letters: str) -> str:
        char = self._take()
        if char not in letters and char not in _PUNCTUATION:
            raise self.refusal()
        return char

    def _class(self) -> None:
        if self._peek() == "^":
            self._take()
        if self._peek() == "]":
            raise self.refusal()
        while self._peek() != "]":
            low = self._member()
            if self._peek() == "-" and self.pattern[self.at + 1 : self.at + 2] != "]":
                self._take()
                high = self._member()
                if low is None or high is None or low > high:
                    raise self.refusal()
        self._take()

    def _member(self) -> str | None:
        """One character of a class; None for a class of its own such as \\d."""
        char = self._take()
        if char == "[":
            raise self.refusal()
        if char != "\\":
            return char
        escaped = self._escape(_CLASSES)
        return None if escaped in _CLASSES else escaped

    def _quantifier(self, repeatable: bool) -> None:
        if not repeatable:
            raise self.refusal()
        if self._take() == "{":
            if self.counted:
                raise self.refusal()
            self._counts()
            self.counted = True
        if self._peek() == "?":
            self._take()
        if self._peek() and self._peek() in _QUANTIFIERS:
            raise self.refusal()

    def _counts(self) -> None:
        end = self.pattern.find("}", self.at)
        written = self.pattern[self.at : end].split(",") if end > 0 else [""]
        if len(written) > 2 or not written[0] or any(not (w.isascii() and w.isdigit()) for w in written if w):
            raise self.refusal()
        counts = [int(w) for w in written if w and len(w) <= 3]
        if (
            len(counts) < sum(bool(w) for w in written)
            or max(counts) > _MOST_REPEATS
            or counts != sorted(counts)
        ):
            raise self.refusal()
        self.at = end + 1
