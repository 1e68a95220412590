"""What is known of a call's value from what is known of its arguments."""

from __future__ import annotations

from dataclasses import replace

from dpsql.algebra.expressions import Call
from dpsql.algebra.facts import Fact
from dpsql.algebra.functions.entries import FUNCTIONS
from dpsql.algebra.types import SqlType


def fact_rule(call: Call, facts: tuple[Fact, ...]) -> Fact:
    """What is known of a call's value. Raises Mistyped where an integer could leave what the engine holds."""
    function = FUNCTIONS[call.op]
    fact = function.fact(call, facts)
    return replace(fact, longest=function.longest(call, facts)) if fact.type is SqlType.TEXT else fact
