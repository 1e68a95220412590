"""What differs between the sqlglot versions that are supported (28.10 to 30), in one place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

if TYPE_CHECKING:
    Node = exp.Expr
else:
    # The base of every node of a tree; it got a name of its own in sqlglot 30.
    Node = getattr(exp, "Expr", exp.Expression)

__all__ = ["Node"]
