"""The words, symbols and literals of a statement about a session, comments left out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from dpsql.slotted import dataclass
from dpsql.sql.lex.text import Text

_WORD: Final = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|[\w.-]+|\S")


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a statement in order: in capitals but for what is quoted, as they are written, and where."""

    upper: tuple[str, ...]
    written: tuple[str, ...]
    starts: tuple[int, ...]

    @classmethod
    def of(cls, text: Text) -> Words:
        """The words of a text, without the semicolon at its end."""
        plain = "".join(c if mask.strip() else " " for c, mask in zip(text.sql, text.code, strict=True))
        words = [(m.group(), m.start()) for m in _WORD.finditer(plain.rstrip("; \t\r\n"))]
        upper = tuple(word if word[0] in "'\"" else word.upper() for word, _ in words)
        return cls(upper, tuple(word for word, _ in words), tuple(start for _, start in words))

    def name(self, at: int) -> str:
        """The word there as a name."""
        return name_of(self.written[at])

    def behind(self, at: int) -> Words:
        """The words from there on."""
        return Words(self.upper[at:], self.written[at:], self.starts[at:])

    def closing(self, opened: int) -> int | None:
        """Where the parenthesis that opens there is closed; None where it is not."""
        depth = 0
        for at in range(opened, len(self.upper)):
            depth += (self.upper[at] == "(") - (self.upper[at] == ")")
            if depth == 0:
                return at
        return None


def name_of(word: str) -> str:
    """A name: in lower case unless it is quoted."""
    return word[1:-1].replace('""', '"') if word.startswith('"') else word.lower()


def value_of(word: str) -> str:
    """What a word says: a text without its quotes, anything else as a name."""
    return word[1:-1].replace("''", "'") if word.startswith("'") else name_of(word)


def is_name(word: str) -> bool:
    """Whether a word can be a name."""
    return word.startswith('"') or re.fullmatch(r"[^\W\d]\w*", word) is not None


def parts_of(words: Sequence[str]) -> list[list[str]]:
    """The words between commas that stand in no parentheses of their own."""
    parts: list[list[str]] = [[]]
    depth = 0
    for word in words:
        depth += (word == "(") - (word == ")")
        if word == "," and depth == 0:
            parts.append([])
        else:
            parts[-1].append(word)
    return parts
