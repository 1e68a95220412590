"""Defects of budgets that are kept part by part: a maximum where a sum holds."""

from __future__ import annotations

from mutants.mutant import one

LEDGER = ("tests/accounting/test_parts.py", "-k", "not postgresql")
PLAN = ("tests/plan/test_parts.py",)
ANSWERS = ("tests/answers/test_partition.py",)

MUTANTS = (
    one(
        "the largest part alone where a unit can move from one to another",
        "dpsql/accounting/ledger/partition_balance.py",
        "sum(sorted(amounts)[-count:] if count else ())",
        "sum(sorted(amounts)[-1:] if count else ())",
        LEDGER,
    ),
    one(
        "a budget that is checked for one part where a unit can be in two",
        "dpsql/accounting/ledger/partition_balance.py",
        "touched = max(spent.touched, requested.touched)",
        "touched = 1",
        LEDGER,
    ),
    one(
        "a first query about two parts that is checked as if a unit were in one",
        "dpsql/accounting/ledger/partition_balance.py",
        "touched = max(spent.touched, requested.touched)",
        "touched = spent.touched",
        LEDGER,
    ),
    one(
        "a query about all parts that is checked as if a unit had been in one",
        "dpsql/accounting/ledger/partition_balance.py",
        "touched = max(spent.touched, requested.touched)",
        "touched = requested.touched",
        LEDGER,
    ),
    one(
        "two parts that are alike are no pair of parts",
        "dpsql/accounting/ledger/partition_balance.py",
        "(*combinations(counts, 2), *twice)",
        "combinations(counts, 2)",
        LEDGER,
    ),
    one(
        "parts that are taken for the same under another policy",
        "dpsql/accounting/ledger/partition_balance.py",
        'self if self.division in ("", division) else Balance(self.worst)',
        "self",
        LEDGER,
    ),
    one(
        "parts that are taken for the same over other data",
        "dpsql/accounting/types.py",
        'f"{self.policy_digest}:{self.data_version}"',
        'f"{self.policy_digest}"',
        LEDGER,
    ),
    one(
        "what parts lost in a division that ended in the window is forgotten",
        "dpsql/accounting/ledger/spent.py",
        "return replace(last, whole=whole + ended)",
        "return replace(last, whole=whole)",
        LEDGER,
    ),
    one(
        "a charge of every part that stands beside the parts instead of on top of them",
        "dpsql/accounting/ledger/partition_balance.py",
        "return {part: self.whole + totals for part, totals in own.items()}",
        "return dict(own)",
        LEDGER,
    ),
    one(
        "the NULL of a row without a match taken for the part of NULL",
        "dpsql/plan/partitions.py",
        "self.every if (optional and None in values) or not values <= self.every else values",
        "self.every if not values <= self.every else values",
        PLAN,
    ),
    one(
        "conditions on which an outer join matches taken for conditions on its rows",
        "dpsql/plan/partitions.py",
        "case Join(kind=JoinKind.INNER):",
        "case Join():",
        PLAN,
    ),
    one(
        "a release over two parts of a unit that moves charged to both of them",
        "dpsql/plan/partitions.py",
        "touched = 1 if context.policy.privacy.neighbours is Neighbours.ADD_REMOVE else 2",
        "touched = 1",
        PLAN,
    ),
    one(
        "a claim of too few parts that nobody checks",
        "dpsql/plan/verify/cost_partitions.py",
        "if any(follow.can_show(release, value) for value in others):",
        "if not others:",
        PLAN,
    ),
    one(
        "a unit with a value and a NULL taken for one in one part",
        "dpsql/engines/declared_facts.py",
        "count(DISTINCT p) + bool_or(p IS NULL)::INTEGER > 1",
        "count(DISTINCT p) > 1",
        ANSWERS,
    ),
    one(
        "a partition that is verified in each table by itself",
        "dpsql/engines/declared_facts.py",
        "' UNION ALL '.join(rows)",
        "rows[0]",
        ANSWERS,
    ),
)
