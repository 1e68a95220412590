"""The `calibrate` command: limits found in the data, paid for by every account."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import click
from rich import box
from rich.console import Console
from rich.table import Table

from dpsql.errors import BudgetExhausted, Interrupted, Place
from dpsql.interfaces.cli.options import ledger_option, policy_argument
from dpsql.interfaces.cli.outcome import EXHAUSTED, reported
from dpsql.interfaces.cli.terminal.spinner import spinner
from dpsql.interfaces.cli.terminal.visible import visible
from dpsql.mechanisms.sampler import ExactSampler
from dpsql.plan.calibration import Calibration, Size, is_found
from dpsql.policy import readings
from dpsql.policy.edited import Change, draw_text, write_changes
from dpsql.policy.load import load_policy
from dpsql.policy.model import CalibratedDraw, Policy
from dpsql.policy.rules.calibrated import DRAW_NAME
from dpsql.policy.scalars import Leaf, plain_value
from dpsql.policy.skeleton import key_text
from dpsql.release.calibration.drawing import SUFFIXES, draw_curves, require_matplotlib
from dpsql.release.calibration.proposals import GROUPS, Curve, changes, curves, per_query
from dpsql.session import calibrate_policy, calibration_again
from dpsql.stages.calibrate import kept_told

_LEAST_SHOWN, _MOST_SHOWN = 10, 20
_WHAT = {
    Size.ROWS: "rows of a person",
    Size.LARGEST: "a person's largest value, without its sign",
    Size.TOTAL: "a person's total, values without their signs",
}
_MEANING = """
paid by every account: epsilon {:g}, {:g} for each of its histograms ({})
above: a noisy number of persons; larger limits than the last are not known
noise: the median of |noise| in a group's sum at epsilon {:g}, the policy's per_query
lost: what a group's sum loses, of so many groups alike; * has the least of both together
"""


def _epsilon(context: click.Context, option: click.Parameter, value: str | None) -> Fraction | None:
    """An epsilon as a policy has it."""
    if value is None:
        return None
    try:
        return readings.epsilon(Leaf(value, plain_value(value) if value else None, Place(1, 1)))
    except ValueError as error:
        raise click.BadParameter(str(error), context, option) from None


def _draw_name(context: click.Context, option: click.Parameter, value: str | None) -> str | None:
    """A name that a draw may have."""
    if value is not None and not DRAW_NAME.fullmatch(value):
        raise click.BadParameter("a draw is called as draw-5f1c0a9be2d34c77 is", context, option)
    return value


@click.command()
@policy_argument
@click.option(
    "--epsilon", callback=_epsilon, metavar="NUMBER",
    help="What the draw costs, over all its histograms together; 0.2, for example.",
)  # fmt: skip
@click.option(
    "--draw", callback=_draw_name, metavar="NAME",
    help="In place of --epsilon: a draw that was paid for, again and for nothing, as the ledger has stored it.",
)  # fmt: skip
@click.option(
    "--only", multiple=True, metavar="LIMIT",
    help="Find this limit alone: a table, TABLE.COLUMN, or one of their limits, as orders.amount.unit_total. Fewer "
    "histograms have less noise each. Repeat for more.",
)  # fmt: skip
@click.option(
    "--groups", type=click.IntRange(min=1), default=10, show_default=True, metavar="NUMBER",
    help="How many groups the answers have that the proposals are for.",
)  # fmt: skip
@click.option(
    "--plot", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
    help="Draw the curves into a new file, as its suffix says: .png, .svg or .pdf. Needs dpsql[plot].",
)  # fmt: skip
@click.option("--write", is_flag=True, help="Write the proposals into POLICY; comments stay.")
@ledger_option
def calibrate(
    policy: Path,
    epsilon: Fraction | None,
    draw: str | None,
    only: tuple[str, ...],
    groups: int,
    plot: Path | None,
    write: bool,
    ledger: str | Path | None,
) -> None:
    """Find limits for POLICY in the data, privately.

    How many persons have how many rows, how large a value and how large a total is counted with noise, and the
    limits with the least error are proposed. Whoever sees the policy has received those counts: the draw is charged
    to the dataset, to every role and to every analyst, before a row is read, and it is refused where one of them has
    no room for it. Accounts of the same ledger that come later begin with its cost.

    \b
    dpsql calibrate shop.yaml --epsilon 0.2
    dpsql calibrate shop.yaml --epsilon 0.1 --only orders.amount.unit_total --write
    """
    if (epsilon is None) == (draw is None) or (draw is not None and only):
        raise click.UsageError(
            "give --epsilon for a new draw, or --draw for one that was paid for, without --only"
        )
    with reported():
        loaded = load_policy(policy)
        text = loaded.path.read_bytes()
        _require_room_for(loaded if write else None, plot)
        with _told_if_interrupted() as kept:
            if epsilon is None:
                made = _of_policy(calibration_again(loaded, ledger, draw or ""), loaded)
            else:
                made = _drawn(loaded, ledger, epsilon, only, kept)
            found = curves(made, loaded, groups)
            proposed = changes(found, loaded)
            try:  # what is kept comes before what is shown: a pipe may be closed by then
                if write:
                    _write(loaded, text, proposed, made)
                if plot is not None and not draw_curves(found, plot):
                    click.echo("there is nothing to plot", err=True)
            finally:
                _print(found, loaded, made, groups)
                click.echo(_yaml(proposed, made, groups), nl=False)


@contextmanager
def _told_if_interrupted() -> Iterator[list[CalibratedDraw]]:
    """A block that adds the draw which it pays for to a list; where it is interrupted after that, it says so."""
    kept: list[CalibratedDraw] = []
    try:
        yield kept
    except Interrupted:
        raise
    except KeyboardInterrupt:
        if kept:
            raise Interrupted(kept_told(kept[0])) from None
        raise


def _require_room_for(written: Policy | None, plot: Path | None) -> None:
    """A usage error, before anything is paid, where the policy or the picture could not be written afterwards."""
    if written is not None and not os.access(written.path.resolve().parent, os.W_OK):
        raise click.UsageError(f"{written.path} cannot be written")
    if plot is not None:
        require_matplotlib()
        if plot.exists():
            raise click.UsageError(f"{plot} is there already; --plot writes a new file")
        if plot.suffix not in SUFFIXES or not os.access(plot.absolute().parent, os.W_OK):
            raise click.UsageError(f"{plot} cannot be written: name a new {', '.join(SUFFIXES)} file")


def _drawn(
    policy: Policy,
    ledger: str | Path | None,
    epsilon: Fraction,
    only: tuple[str, ...],
    kept: list[CalibratedDraw],
) -> Calibration:
    """A new draw, whose name is told on stderr once it is stored, whatever happens then."""
    try:
        with spinner("opening the policy's sources") as progress:
            return calibrate_policy(policy, ledger, epsilon, only, ExactSampler(), progress, kept.append)
    except BudgetExhausted as refusal:
        click.echo(str(refusal).replace("this query", "the draw"), err=True)
        click.echo(
            "every account pays for a calibration, since whoever sees the policy receives it", err=True
        )
        raise SystemExit(EXHAUSTED) from None
    finally:
        for draw in kept:
            click.echo(f"{draw.name} is paid for: `--draw {draw.name}` gives it again for nothing", err=True)


def _of_policy(made: Calibration, policy: Policy) -> Calibration:
    """The draw without what the policy, which may be another one by now, does not limit; that is named on stderr."""
    for one in made.found:
        if not is_found(one.of, policy):
            click.echo(
                f"{visible(one.of.name)}: left out, since the policy has no such limit any more", err=True
            )
    return replace(made, found=tuple(one for one in made.found if is_found(one.of, policy)))


def _print(found: Sequence[Curve], policy: Policy, made: Calibration, groups: int) -> None:
    """A table for each curve, on stdout; what it all means on stderr."""
    console, each = Console(), made.draw.epsilon / made.draw.histograms
    for curve in found:
        console.print(
            f"\n{curve.of.name}: {_WHAT[curve.of.size]}{_now(curve)}",
            highlight=False,
            markup=False,
            soft_wrap=True,
        )
        if curve.points:
            console.print(_table(curve))
        else:
            console.print("noise hides all persons: take a larger epsilon, or fewer histograms (--only)")
        if told := _looser(curve, groups):
            console.print(told, highlight=False, markup=False, soft_wrap=True)
    query = float(per_query(policy))
    click.echo(_MEANING.format(float(made.draw.epsilon), float(each), made.draw.histograms, query), err=True)


def _now(curve: Curve) -> str:
    return f"; now {_number(curve.current)}" if curve.current is not None else "; not limited now"


def _looser(curve: Curve, groups: int) -> str:
    """Why a looser limit is proposed or not; nothing where none would be."""
    if not curve.is_looser or curve.errors is None or curve.current is None or curve.proposed is None:
        return ""
    now, then = map(_number, curve.errors)
    answers = f"an answer of {groups} group{'s' * (groups > 1)}"
    if curve.helps:
        return f"looser, since {answers} would be off by about {then} instead of {now}"
    return (
        f"stays as it is: {_number(curve.proposed)} would be looser, and {answers} off by about {then} instead of "
        f"{now}, which is no clear gain"
    )


def _table(curve: Curve) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for heading in ("limit", "above", "noise", *(f"lost in {g}" for g in GROUPS)):
        table.add_column(heading, justify="right")
    marked = [i for i, point in enumerate(curve.points) if point.limit in curve.best]
    shown = curve.points[
        max(min([*marked, len(curve.points) - _LEAST_SHOWN]), len(curve.points) - _MOST_SHOWN, 0) :
    ]
    for point in shown:
        losses = (
            f"{_number(loss)}{'*' if point.limit == best else ' '}"
            for loss, best in zip(point.bias, curve.best, strict=True)
        )
        table.add_row(_number(point.limit), str(point.above), _number(point.noise), *losses)
    return table


def _number(value: Fraction) -> str:
    """A number in at most four digits before its power of ten."""
    number = float(value)
    return f"{number:,.0f}" if abs(number) >= 1000 or number == int(number) else f"{number:.4g}"


def _yaml(proposed: Sequence[Change], made: Calibration, groups: int) -> str:
    """The proposals as the policy would have them."""
    lines = (
        [f"# proposed for {groups} group{'s' * (groups > 1)}"]
        if proposed
        else ["# no other limit is proposed"]
    )
    tables = dict.fromkeys(c.table for c in proposed)
    lines += ["tables:"] if tables else []
    for table in tables:
        own = [c for c in proposed if c.table == table]
        lines.append(f"  {key_text(table)}:")
        lines += [f"    {c.key}: {c.written}" for c in own if c.column is None]
        columns = dict.fromkeys(c.column for c in own if c.column is not None)
        lines += ["    columns:"] if columns else []
        for column in columns:
            numbers = ", ".join(f"{c.key}: {c.written}" for c in own if c.column == column)
            lines.append(f"      {key_text(column)}: {{{numbers}}}")
    lines += ["calibrated:", f"  {draw_text(made.draw, made.day)}"] if proposed else []
    return "\n".join(lines) + "\n"


def _write(policy: Policy, text: bytes, proposed: Sequence[Change], made: Calibration) -> None:
    if not proposed:
        click.echo(f"{policy.path}: nothing is written", err=True)
        return
    after = write_changes(policy, text, proposed, made.draw, made.day)
    told = "; its digest is another, so that stored answers are not found any more and are paid for again"
    click.echo(f"{policy.path}: written{told if after.digest != policy.digest else ''}", err=True)
