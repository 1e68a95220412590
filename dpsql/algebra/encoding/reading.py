"""A question out of its canonical text, for the classes of the algebra and no others.

The text is parsed, never run: whatever is not one of the known classes, a tuple, a constant or an enumeration's member
is no question. What is read is a proposal: who uses it compares the digest of what follows from it with the one that
the text was stored under.
"""

from __future__ import annotations

from typing import Final

from dpsql.algebra.encoding.encoder import Unreadable
from dpsql.algebra.encoding.written_relations import questions
from dpsql.algebra.question import Question
from dpsql.algebra.relations import Relation

_LONGEST: Final = 200_000


def question_of(text: str) -> Question | None:
    """The question that a canonical text of (question, parts) begins with; None where it is not one that is known.

    One with levels, or with a response of each row, is none: nothing else is answered from it.
    """
    if len(text) > _LONGEST:
        return None
    try:
        question = next(questions().items(text), None)
    except Unreadable:
        return None
    return question if type(question) is Question else None


def beginning(of: Relation) -> str:
    """What the canonical text of every question about a relation begins with."""
    return f"({questions().beginning(Question, of)}"
