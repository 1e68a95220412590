"""Defects of what is told about limits: the wrong people, the wrong measures, a sentence left out, an answer moved."""

from __future__ import annotations

from mutants.mutant import Mutant, one

TOLD = ("tests/answers/test_bias_told.py",)
PAGES = ("tests/bi/test_notebook.py",)
SHELL = ("tests/cli/test_cli_ask.py", "tests/cli/test_answer_formats.py")
TOTALS = "dpsql/release/uncertainty/total_intervals.py"
NOTES = "dpsql/release/explain/bias.py"

MUTANTS: tuple[Mutant, ...] = (
    one(
        "people in all bins told to count with less",
        TOTALS,
        "clipped_units(limit.counts, bins=read, tau=tau,",
        "clipped_units(limit.counts, bins=read, tau=1,",
        TOLD,
    ),
    one(
        "nobody is above the largest limit",
        TOTALS,
        "tau = limit.threshold - open_above",
        "tau = limit.threshold",
        TOLD,
    ),
    one(
        "an estimate that moves the answer",
        TOTALS,
        "return Span(interval.low, (max(answer, 0.0) + noise) * (1 + lost))",
        "return Span(interval.low * (1 + lost), (max(answer, 0.0) + noise) * (1 + lost))",
        TOLD,
    ),
    one(
        "the interval of the noise widened to the estimate",
        TOTALS,
        "replace(i, total=total(i, lost))",
        "replace(i, high=total(i, lost).high, total=total(i, lost))",
        TOLD,
    ),
    one(
        "an estimate without room for people that noise hides",
        "dpsql/mechanisms/clipping/left_out.py",
        "    units += [*([hidden] * NEXT), hidden * 3 // 4]\n",
        "",
        TOLD,
    ),
    one(
        "an estimate without room for people beyond two bins",
        "dpsql/mechanisms/clipping/left_out.py",
        "[*([hidden] * NEXT), hidden * 3 // 4]",
        "[hidden] * NEXT",
        TOLD,
    ),
    one(
        "an estimate where the limit is open above",
        TOTALS,
        "    if _open_above(histogram, limit):\n        return None\n",
        "",
        TOLD,
    ),
    one(
        "an answer below 0 in the estimate",
        TOTALS,
        "(max(answer, 0.0) + noise)",
        "(answer + noise)",
        TOLD,
    ),
    one(
        "an estimate for sums that may be negative",
        TOTALS,
        "(kind is Aggregate.SUM and e.low >= 0)",
        "kind is Aggregate.SUM",
        TOLD,
    ),
    one(
        "an estimate for a negative multiple",
        TOTALS,
        "return by_measure[measure] if factor > 0 else None",
        "return by_measure[measure]",
        TOLD,
    ),
    one(
        "an answer without its sentences",
        "dpsql/stages/finish.py",
        "bias = bias_notes(query.plan.releases, limits, s.context.policy)",
        "bias: tuple[str, ...] = ()",
        TOLD,
    ),
    one(
        "a limit that was found is not told",
        NOTES,
        "if of_limit.at_most or of_limit.units.clipped_half_width:",
        "if False:",
        TOLD,
    ),
    one(
        "a limit named with the measures of another",
        NOTES,
        "[_CHOICE] if place is None else _measures(release, [place])",
        "[_CHOICE] if place is None else _measures(release, range(len(release.families)))",
        TOLD,
    ),
    one(
        "the limit of rows is not told",
        NOTES,
        "if bounding.rows is not None:",
        "if False:",
        TOLD,
    ),
    one(
        "groups are shown from one person fewer than is told",
        "dpsql/release/explain/mechanisms.py",
        "n, what = least_noisy(part),",
        "n, what = least_noisy(part) + 1,",
        TOLD,
    ),
    one(
        "values that are compared told to be moved",
        "dpsql/release/explain/bias.py",
        "if arg.type is not SqlType.BOOLEAN:",
        "if True:",
        TOLD,
    ),
    one(
        "a notebook without the sentences",
        "dpsql/release/render/notebook.py",
        "    yield from bias\n",
        "",
        PAGES,
    ),
    one(
        "a plot without the sentences",
        "dpsql/release/render/chart.py",
        "*bias] if estimated else bias",
        "] if estimated else []",
        PAGES,
    ),
    one(
        "notes without the sentences",
        "dpsql/release/types.py",
        "return (*explained.bias, *explained.notes)",
        "return explained.notes",
        SHELL,
    ),
    one(
        "an estimate printed as part of the interval",
        "dpsql/interfaces/cli/answer_formats.py",
        '"intervals": _by_cell(sheet, lambda i: i),',
        '"intervals": _by_cell(sheet, lambda i: i.total or i),',
        SHELL,
    ),
)
