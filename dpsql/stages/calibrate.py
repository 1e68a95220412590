"""A calibration: histograms of units for the limits of a policy, charged to every account before a row is read."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from dpsql.accounting.calibration_charges import calibration_charge, histogram_noise
from dpsql.accounting.ledger.ledger import Ledger
from dpsql.accounting.policy_accounts import admin_request
from dpsql.accounting.types import DrawLost
from dpsql.algebra.catalog import Catalog
from dpsql.engines.base import Engine, EngineQuery, Exact
from dpsql.engines.sources.fingerprints import Stamps, stamps
from dpsql.engines.sqlgen.clipping.unit_histograms import unit_histogram_query
from dpsql.errors import InterfaceError, InternalError, Interrupted, OperationalError, QueryFailed, failing_as
from dpsql.mechanisms.clipping.root_bins import ROOT_BINS
from dpsql.mechanisms.coins import Coins
from dpsql.mechanisms.sampler import Sampler
from dpsql.plan.calibration import Calibration, Found, Size, UnitHistogram
from dpsql.policy.model import CalibratedDraw, Policy
from dpsql.privacy import Neighbours
from dpsql.progress import Phase, Progress, untold
from dpsql.release.interrupted_charge import NOTHING
from dpsql.slotted import dataclass
from dpsql.stages.admin_log import log_failure

_NAME_BYTES = 8
WHO = "the admin"


@dataclass(frozen=True, slots=True)
class Ground:
    """What a draw needs: the policy, its verified data at a version, the engine over it, the ledger, and the noise.

    `noted` are the sources as they were when the engine was opened.
    """

    policy: Policy
    catalog: Catalog
    engine: Engine
    ledger: Ledger
    data_version: int
    noted: Stamps
    sampler: Sampler


def calibrated(
    histograms: Sequence[UnitHistogram],
    epsilon: Fraction,
    ground: Ground,
    progress: Progress = untold,
    kept: Callable[[CalibratedDraw], None] = lambda draw: None,
) -> Calibration:
    """Noisy histograms, which together cost epsilon: charged durably, drawn, and stored in the ledger.

    `kept` is told of the draw once it is stored, whatever becomes of the work after it. Raises BudgetExhausted where an
    account has no room, and then nothing is charged. After the charge DrawLost, and QueryFailed for whatever else: its
    details are in the admin's log.
    """
    policy = ground.policy
    draw = CalibratedDraw(f"draw-{Coins().random_bytes(_NAME_BYTES).hex()}", epsilon, len(histograms))
    charge = calibration_charge(draw)
    if charge.cost.epsilon != epsilon or charge.cost.delta:
        raise InternalError("the charge of a calibration is not its epsilon")
    noise = histogram_noise(draw, policy.privacy.neighbours)
    queries = [unit_histogram_query(h, ground.catalog) for h in histograms]
    _require_still(ground)
    request = admin_request(policy, ground.data_version)
    with _charge_told(draw, charge.key, ground.ledger):
        paid = ground.ledger.pay_for_calibration(policy, request, charge)
        with failing_as(QueryFailed, partial(log_failure, policy, WHO), (DrawLost,)):
            exact = _counted(queries, ground.engine, progress)
            _require_still(ground)
            noisy = [noise.add(_counts(units), 1, ground.sampler) for units in exact]
            histogram_counts = tuple(
                Found(h, tuple(map(int, n))) for h, n in zip(histograms, noisy, strict=True)
            )
            made = Calibration(draw, noise, histogram_counts, datetime.now(UTC).date())
            ground.ledger.keep_calibration(paid, _encoded(made))
        kept(draw)
    return made


@contextmanager
def _charge_told(draw: CalibratedDraw, key: str, ledger: Ledger) -> Iterator[None]:
    """A block that pays for a draw and makes it; where it is interrupted, Interrupted says what was charged."""
    try:
        yield
    except KeyboardInterrupt:
        if not ledger.is_paid(key):
            told = NOTHING
        elif ledger.stored(key) is None:
            told = f"{_cost_told(draw)}: the draw is lost"
        else:
            told = kept_told(draw)
        raise Interrupted(told) from None


def kept_told(draw: CalibratedDraw) -> str:
    """What a stored draw cost, and how it is found again."""
    return f"{_cost_told(draw)}; `--draw {draw.name}` gives the draw for nothing"


def _cost_told(draw: CalibratedDraw) -> str:
    return f"epsilon {float(draw.epsilon):g} was charged to every account, and stays charged"


def _counted(queries: Sequence[EngineQuery], engine: Engine, progress: Progress) -> list[Exact]:
    exact = []
    for done, query in enumerate(queries):
        progress(Phase("counting units", done, len(queries), "histograms"))
        exact.append(engine.run(query))
    return exact


def _require_still(ground: Ground) -> None:
    """OperationalError where a source was touched since the engine was opened."""
    if stamps(ground.policy) != ground.noted:
        raise OperationalError("the data is being changed; try again")


def _counts(found: Exact) -> npt.NDArray[np.int64]:
    """The exact count of every bin, also of those without units."""
    counts = np.zeros(ROOT_BINS, np.int64)
    for (k,), (count,) in zip(found.keys, found.values, strict=True):
        if not isinstance(k, int) or not 0 <= k < ROOT_BINS:
            raise InternalError("a histogram has a bin that does not exist")
        counts[k] = int(count)
    return counts


def _encoded(made: Calibration) -> bytes:
    """What was released, for the ledger."""
    draw, found = made.draw, made.found
    content = {
        "epsilon": str(draw.epsilon),
        "neighbours": made.noise.neighbours.value,
        "day": made.day.isoformat(),
        "histograms": [_written(one) for one in found],
    }
    return json.dumps(content, sort_keys=True).encode("utf-8")


def _written(found: Found) -> dict[str, object]:
    of = found.of
    return {
        "table": of.table,
        "size": of.size.value,
        "column": of.column,
        "step": str(of.step),
        "counts": found.counts,
    }


def stored_calibration(name: str, ledger: Ledger) -> Calibration:
    """A draw that was made under this ledger, as it was stored; free. InterfaceError where there is none."""
    draw = CalibratedDraw(name, Fraction(1), 1)
    payload = ledger.stored(calibration_charge(draw).key)
    if payload is None or not payload.startswith(b"{"):
        raise InterfaceError(f"this ledger has no draw of a calibration called {name}")
    content = json.loads(payload)
    histograms = tuple(map(_read, content["histograms"]))
    draw = CalibratedDraw(name, Fraction(content["epsilon"]), len(histograms))
    noise = histogram_noise(draw, Neighbours(content["neighbours"]))
    return Calibration(draw, noise, histograms, date.fromisoformat(content["day"]))


def _read(written: dict[str, Any]) -> Found:
    of = UnitHistogram(written["table"], Size(written["size"]), written["column"], Fraction(written["step"]))
    return Found(of, tuple(map(int, written["counts"])))
