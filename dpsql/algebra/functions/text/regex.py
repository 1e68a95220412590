"""Regular expressions on private rows: constant patterns of a grammar that the engine always accepts.

RE2 matches in time linear in the text (R. Cox, "Regular Expression Matching in the Wild", 2010), and refuses what it
cannot: a pattern is therefore read here first, and only a part of RE2's syntax is let through, of a bounded size.
"""

from __future__ import annotations

from dpsql.algebra.functions.table import Mistyped
from dpsql.slotted import dataclass

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


@dataclass(frozen=True, slots=True)
class Pattern:
    """How many groups in parentheses a pattern counts, and how many characters it matches with every loop run once.

    `tangled`: a failed attempt may read far beyond what is matched in the end. It cannot where the pattern is A X* B,
    with one character X, and A and B that match `longest` characters at most: an earlier attempt that is still in its
    loop could take B where a later one does, and a loop that runs on has no B before its end, so that every character
    is read a few times, and `longest` times at most at the ends.
    """

    groups: int
    longest: int
    tangled: bool


def check_pattern(pattern: object) -> Pattern:
    """What is to be known of a pattern. Raises Mistyped for one that is no constant of the grammar."""
    if not isinstance(pattern, str) or len(pattern.encode(errors="replace")) > _MOST_BYTES:
        raise Mistyped(_KNOWN)
    if not all(c.isprintable() for c in pattern):
        raise Mistyped(_KNOWN)
    reader = _Reader(pattern)
    longest = reader.alternatives(0)
    if reader.at < len(pattern):
        raise reader.refusal()
    return Pattern(reader.groups, longest, reader.tangled or reader.loops > 1)


@dataclass(slots=True)
class _Reader:
    """Reads a pattern from left to right; `counted` says that a {n,m} was read since it was last set.

    What reads a part says how many characters it matches at most, with `loops` run once; `tangled` are those of more
    than a character, that stop early, or that only some matches pass.
    """

    pattern: str
    at: int = 0
    counted: bool = False
    groups: int = 0
    loops: int = 0
    tangled: bool = False

    def refusal(self) -> Mistyped:
        return Mistyped(f"the pattern cannot be read at its character {self.at + 1}. {_KNOWN}")

    def _peek(self) -> str:
        return self.pattern[self.at : self.at + 1]

    def _take(self) -> str:
        character = self._peek()
        if not character:
            raise self.refusal()
        self.at += 1
        return character

    def alternatives(self, depth: int) -> int:
        if depth > _MOST_DEPTH:
            raise self.refusal()
        loops, sizes = self.loops, [self._sequence(depth)]
        while self._peek() == "|":
            self._take()
            sizes.append(self._sequence(depth))
        self.tangled |= len(sizes) > 1 and self.loops > loops
        return max(sizes)

    def _sequence(self, depth: int) -> int:
        size = 0
        while self._peek() not in ("", "|", ")"):
            before, self.counted = self.counted, False
            size += self._repeated(depth)
            self.counted |= before
        return size

    def _repeated(self, depth: int) -> int:
        if self._peek() == "(":
            loops = self.loops
            self._take()
            size = self._group(depth)
            again = bool(self._peek()) and self._peek() in _QUANTIFIERS
            self.tangled |= again and self.loops > loops
            loops = self.loops
            times = self._quantifier(True) if again else 1
            self.tangled |= self.loops > loops
            return size * times
        repeatable = self._atom()
        return self._quantifier(repeatable) if self._peek() and self._peek() in _QUANTIFIERS else 1

    def _atom(self) -> bool:
        """Reads one character or place; whether it may be repeated."""
        char = self._take()
        if char == "[":
            self._class()
        elif char == "\\":
            return self._escape(_CLASSES + _BOUNDARIES) not in _BOUNDARIES
        elif char in _QUANTIFIERS or char in "]}":
            self.at -= 1
            raise self.refusal()
        return char not in _ENDS

    def _group(self, depth: int) -> int:
        if self.pattern.startswith("?:", self.at):
            self.at += 2
        else:
            self.groups += 1
        size = self.alternatives(depth + 1)
        if self._take() != ")":
            raise self.refusal()
        return size

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

    def _quantifier(self, repeatable: bool) -> int:
        """How many times a piece is repeated at most, once for a loop."""
        if not repeatable:
            raise self.refusal()
        char, times = self._take(), 1
        endless = char in "*+"
        if char == "{":
            if self.counted:
                raise self.refusal()
            times, endless = self._counts()
            self.counted = True
        self.loops += endless
        if self._peek() == "?":
            self._take()
            self.tangled |= endless
        if self._peek() and self._peek() in _QUANTIFIERS:
            raise self.refusal()
        return times

    def _counts(self) -> tuple[int, bool]:
        """The most of the times that a {n,m} says, and whether there is no end of them."""
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
        return max(counts), len(counts) < len(written)
