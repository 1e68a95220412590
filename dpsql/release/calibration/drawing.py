"""The curves of a calibration as a picture; needs matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from dpsql.errors import InterfaceError
from dpsql.release.calibration.proposals import GROUPS, Curve

_WIDTH, _HEIGHT = 6.0, 2.8


SUFFIXES = (".png", ".svg", ".pdf")


def require_matplotlib() -> None:
    """Raises InterfaceError where matplotlib is not installed."""
    if find_spec("matplotlib") is None:
        raise InterfaceError("a plot needs matplotlib: pip install 'dpsql[plot]'")


def draw_curves(curves: Sequence[Curve], file: Path) -> bool:
    """A panel for each curve: bias and noise together by the limit, a line for each number of groups.

    Written as the file's suffix says; False, and nothing is written, where noise hides every histogram. Raises
    InterfaceError without matplotlib, and where the file cannot be written.
    """
    require_matplotlib()
    from matplotlib.figure import Figure

    drawable = [curve for curve in curves if curve.points]
    if not drawable:
        return False
    figure = Figure(figsize=(_WIDTH, _HEIGHT * len(drawable)), layout="constrained")
    for axes, curve in zip(figure.subplots(len(drawable), squeeze=False)[:, 0], drawable, strict=True):
        limits = [float(point.limit) for point in curve.points]
        for i, groups in enumerate(GROUPS):
            errors = [float(point.bias[i] + point.noise) for point in curve.points]
            axes.plot(limits, errors, label=f"{groups} group{'s' if groups > 1 else ''}")
        if curve.current is not None:
            axes.axvline(float(curve.current), color="grey", linestyle="dotted", label="now")
        axes.set(xscale="log", yscale="log", title=curve.of.name, xlabel="limit", ylabel="bias and noise")
        axes.legend(fontsize="small")
    try:
        figure.savefig(file)
    except (OSError, ValueError) as error:
        raise InterfaceError(f"{file} is not written: {error}") from None
    return True
