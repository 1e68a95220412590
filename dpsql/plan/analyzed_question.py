"""What a plan is made from: the policy, its catalog and public values, and a question with what follows from them."""

from __future__ import annotations

from collections.abc import Callable

from dpsql.algebra.catalog import Catalog
from dpsql.algebra.expressions import LiteralValue
from dpsql.algebra.local import LocalQuestion
from dpsql.algebra.question import Question
from dpsql.algebra.shape import Shape
from dpsql.plan.contribution import Contribution
from dpsql.plan.types import Keys
from dpsql.policy.model import ClippingMode, Policy
from dpsql.slotted import dataclass

# Runs a query on public values only.
Evaluate = Callable[[str], list[tuple[LiteralValue, ...]]]


@dataclass(frozen=True, slots=True)
class PlanContext:
    """What a plan may depend on besides the query: the policy, its catalog and public values.

    `dominant` is what accounting.dominance says of the policy. `clipping` is how limits of what one unit adds are
    found.
    """

    policy: Policy
    catalog: Catalog
    evaluate: Evaluate
    dominant: bool = False
    clipping: ClippingMode = ClippingMode.FIXED

    @property
    def factor(self) -> int:
        """How many versions of a unit's rows neighbours can differ in: 2 where they substitute it."""
        return self.policy.privacy.neighbours.factor


@dataclass(frozen=True, slots=True)
class AnalyzedQuestion:
    """A question with the shape of its rows, its keys, and what one unit can contribute to it."""

    question: Question
    shape: Shape
    keys: Keys
    contribution: Contribution
    context: PlanContext

    @property
    def spends(self) -> bool:
        """Whether anything private has to be released: a public list of groups alone is free, and the best of one."""
        local = isinstance(self.question, LocalQuestion)
        domain = self.keys.domain
        chooses = self.question.top is not None and domain is not None and len(domain) > 1
        return local or chooses or bool(self.question.measures) or domain is None

    @property
    def rows(self) -> int:
        """m, the most rows of a unit. Raises QueryRefused where nothing limits them."""
        return self.contribution.limit(self.question)

    @property
    def groups(self) -> int | None:
        """How many groups there are, None where they are private."""
        return None if self.keys.domain is None else len(self.keys.domain)
