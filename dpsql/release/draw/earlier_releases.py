"""What earlier releases give a later one: its cells, or draws on its path of noise beside which it is drawn.

Of the data nothing is read but where a release on a path is finer than all that is stored of the path.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import cast

import numpy as np

from dpsql.accounting.ledger.ledger import Ledger
from dpsql.accounting.types import Beside, StoredDraw, StoredReleases
from dpsql.mechanisms.sampler import Sampler
from dpsql.plan.derivation import Derivation
from dpsql.plan.types import Family, Histogram, Key, Release, Sums
from dpsql.privacy import Charge
from dpsql.release.draw.domain_check import Run, checked_result
from dpsql.release.draw.noise import Integers, Noisy, decoded, nearest, noised
from dpsql.release.draw.perform import exact_cells, joined
from dpsql.slotted import dataclass


def derived(noisy: Noisy, derivation: Derivation, domain: tuple[Key, ...] | None) -> Noisy:
    """The groups of a release with the cells of the earlier groups that each is made of, side by side."""
    if derivation.groups is None:
        groups = tuple(tuple(key[i] for i in derivation.keys) for key in noisy.keys)
        rows = np.arange(len(groups)).reshape(-1, 1)
    else:
        assert domain is not None, "groups that stand at known places are public"
        groups, rows = domain, np.array(derivation.groups)
    every = derivation.copies
    blocks = [
        noisy.cells[:, list(cells)][rows].reshape(len(groups), every * len(cells))
        for cells in derivation.cells
    ]
    histograms = [i for i, part in enumerate(derivation.earlier.parts) if isinstance(part, Histogram)]
    limited = zip(histograms, noisy.limits, strict=True)
    limits = tuple(limit for i, limit in limited if i in derivation.parts)
    return Noisy(groups, cast(Integers, np.hstack(blocks)), limits)


def averaged(draws: Sequence[Noisy], weights: Sequence[int]) -> Noisy:
    """The mean of independent draws of one release over a public domain, rounded to whole numbers."""
    whole = sum(weights)
    added = sum(w * d.cells.astype(object) for d, w in zip(draws, weights, strict=True))
    return Noisy(draws[-1].keys, cast(Integers, np.frompyfunc(nearest, 2, 1)(added, whole)))


def drawn_on_path(
    release: Release,
    charge: Charge,
    stored: StoredReleases,
    run: Run,
    ledger: Ledger,
    sampler: Sampler,
) -> bytes:
    """The payload that stands for a release on a path, drawn again for as long as others draw on the path meanwhile.

    What is not kept is never shown. The dataset has paid for whatever is finer than all that was stored at the charge,
    and what is stored only grows finer.
    """
    exact = cache(run)
    while True:
        beside = ledger.beside(charge)
        noisy = drawn_beside(release, beside, exact, sampler)
        kept = ledger.keep(stored, charge.key, noisy.encoded(release.keys.domain), beside.count)
        payload = kept.get(charge.key)
        if payload is not None:
            return payload


def drawn_beside(release: Release, beside: Beside, run: Run, sampler: Sampler) -> Noisy:
    """The release given what is stored beside it; `run` is called only for a part that is finer than what is stored."""
    groups = release.keys.domain
    assert groups is not None, "what is on a path has public groups"
    cells = (
        _family(family, exact, coarser, finer, sampler)
        for (family, exact), coarser, finer in zip(
            _families(release, groups, run),
            _cells(release, beside.coarser, groups),
            _cells(release, beside.finer, groups),
            strict=True,
        )
    )
    return Noisy(groups, joined(list(cells), len(groups)))


@dataclass(frozen=True, slots=True, eq=False)
class _Stored:
    """A family's cells as they were drawn before, and at which epsilon."""

    draw: StoredDraw
    cells: Integers


def _families(
    release: Release, groups: tuple[Key, ...], run: Run
) -> Iterator[tuple[Family, Callable[[], Integers]]]:
    """Every family with its exact cells, which are computed when they are asked for."""
    for part in release.parts:
        assert isinstance(part, Sums), "what is on a path consists of sums"
        exact = cache(lambda part=part: exact_cells(part, groups, checked_result(release, part, run)))
        yield from ((f, lambda i=i, exact=exact: exact()[i]) for i, f in enumerate(part.families))


def _cells(
    release: Release, nearest: tuple[StoredDraw | None, ...], groups: tuple[Key, ...]
) -> Iterator[_Stored | None]:
    """Of each family's nearest draw, the cells of that family."""
    first = 0
    for family, draw in zip(release.families, nearest, strict=True):
        last = first + len(family.cells)
        if draw is None:
            yield None
        else:
            yield _Stored(draw, decoded(draw.payload, groups).cells[:, first:last])
        first = last


def _family(
    family: Family,
    exact: Callable[[], Integers],
    coarser: _Stored | None,
    finer: _Stored | None,
    sampler: Sampler,
) -> Integers:
    if finer is not None and finer.draw.epsilon == family.epsilon:
        return finer.cells
    if coarser is None and finer is None:
        return noised(family, exact(), sampler)
    columns = [_column(family, i, exact, coarser, finer, sampler) for i in range(len(family.cells))]
    return cast(Integers, np.stack(columns, axis=1))


def _column(
    family: Family,
    cell: int,
    exact: Callable[[], Integers],
    coarser: _Stored | None,
    finer: _Stored | None,
    sampler: Sampler,
) -> Integers:
    """One cell of every group, refined, coarsened, or drawn between two."""
    size, own = family.sensitivity * family.width(cell), family.epsilon
    if finer is None:
        assert coarser is not None
        return sampler.refine(
            *(exact()[:, cell], coarser.cells[:, cell]),
            sensitivity=size,
            epsilon=coarser.draw.epsilon,
            finer=own,
        )
    fine = finer.cells[:, cell]
    if coarser is None:
        return sampler.coarsen(fine, sensitivity=size, epsilon=own, finer=finer.draw.epsilon)
    return sampler.between(
        *(coarser.cells[:, cell], fine),
        sensitivity=size,
        epsilon=coarser.draw.epsilon,
        middle=own,
        finer=finer.draw.epsilon,
    )
