"""Sums fitted to earlier draws: without bias, with the noise that is told, and for nothing but what is alike."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest
from answers.engines import shared_engines
from answers.noiseless import Noiseless
from answers.shop import make_shop
from chances import is_share_between

from dpsql.mechanisms.sampler import ExactSampler
from dpsql.plan.rollup.fitted_sums import FittedSums, can_be_fitted, fitted_release
from dpsql.plan.types import Blended, Release
from dpsql.policy.load import load_policy
from dpsql.release.draw.fit_received import fitted
from dpsql.release.draw.noise import Noisy, noised
from dpsql.release.estimate.rollup import added_up
from dpsql.release.uncertainty.intervals import half_width
from dpsql.session import Session, build_session
from dpsql.stages.prepare import prepare

TOTAL = "SELECT COUNT(*) FROM orders"
BY_PAID = "SELECT paid, COUNT(*) FROM orders GROUP BY paid"
BY_RATING = "SELECT rating, COUNT(*) FROM orders GROUP BY rating"
BY_REGION = "SELECT region, COUNT(*) FROM orders GROUP BY region"
BY_COUPON = "SELECT coupon, paid, COUNT(*) FROM orders GROUP BY coupon, paid"
BOTH = "SELECT rating, paid, COUNT(*) FROM orders GROUP BY rating, paid"
# A release, and what it is fitted to.
FITTED = [
    (BOTH, (TOTAL,)),
    (BOTH, (BY_PAID, BY_RATING)),
    (BOTH, (TOTAL, BY_COUPON, BY_RATING)),
    (TOTAL, (BOTH,)),
    (BY_PAID, (BOTH, BY_COUPON, TOTAL)),
    (BY_RATING, (BY_PAID, BY_COUPON)),
    (BY_REGION, ("SELECT region, paid, COUNT(*) FROM orders GROUP BY region, paid",)),
]


@pytest.fixture(scope="module", params=["", "accountant: zcdp\n"], ids=["laplace", "gaussian"])
def shop(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    folder = make_shop(tmp_path_factory.mktemp("fitted"))
    text = (folder / "table_cap.yaml").read_text(encoding="utf-8")
    (folder / "fitted.yaml").write_text(text + request.param, encoding="utf-8")
    policy = load_policy(folder / "fitted.yaml")
    session = build_session(
        policy, "alice", None, ("0.1", None), Noiseless(), resources=shared_engines, clipping="fixed"
    )
    yield session
    session.close()


def planned(sql: str, s: Session) -> Release:
    (release,) = prepare(sql, None, s._state).plan.releases
    return release


def fit(sql: str, others: tuple[str, ...], s: Session) -> tuple[Release, list[Release]]:
    earlier = [planned(o, s) for o in others]
    assert all(map(can_be_fitted, earlier))
    made = fitted_release(planned(sql, s), earlier, s._state.context)
    assert made is not None and made[1] == tuple(range(len(others)))
    return made[0], earlier


def groups(release: Release) -> int:
    assert release.keys.domain is not None
    return len(release.keys.domain)


def noisy(release: Release, cells: np.ndarray) -> Noisy:
    assert release.keys.domain is not None
    return Noisy(release.keys.domain, np.asarray(cells, dtype=np.int64).reshape(-1, 1))


@pytest.mark.parametrize(("sql", "others"), FITTED)
def test_true_sums_are_left_as_they_are(sql: str, others: tuple[str, ...], shop: Session) -> None:
    """No bias: the fit is linear, and truths of all draws give the truth."""
    release, earlier = fit(sql, others, shop)
    wide = planned("SELECT rating, paid, coupon, region, COUNT(*) FROM orders GROUP BY ALL", shop)
    assert wide.keys.domain is not None
    truth = Noisy(wide.keys.domain, np.random.default_rng(3).integers(-999, 999, (groups(wide), 1)))

    def of(r: Release) -> Noisy:
        summed = added_up(truth, tuple(wide.question.keys.index(k) for k in r.question.keys))
        at = {key: i for i, key in enumerate(summed.keys)}
        assert r.keys.domain is not None
        return noisy(r, summed.cells[[at[key] for key in r.keys.domain]])

    assert (
        fitted(release, of(release), [(r, of(r)) for r in earlier]).cells.tolist()
        == of(release).cells.tolist()
    )


@pytest.mark.parametrize(("sql", "others"), FITTED)
def test_the_noise_of_a_fitted_cell_is_made_of_what_is_told(
    sql: str, others: tuple[str, ...], shop: Session
) -> None:
    """Every draw is probed alone, with a number so large that rounding does not show."""
    release, earlier = fit(sql, others, shop)
    probe, draws = 10**9, [release, *earlier]
    (family,) = release.families
    assert isinstance(family, Blended)
    told: Counter[float] = Counter()
    for factor, times, _ in family.noises:
        told[round(factor, 6)] += times
    found: Counter[float] = Counter()
    for n, draw in enumerate(draws):
        for place in range(groups(draw)):
            cells = [np.zeros(groups(d)) for d in draws]
            cells[n][place] = probe
            own, *before = map(noisy, draws, cells)
            value = fitted(release, own, list(zip(earlier, before, strict=True))).cells[0, 0]
            found[round(int(value) / probe, 6)] += 1
    assert {f: n for f, n in found.items() if f} == {f: n for f, n in told.items() if f}


@pytest.mark.one_in(4)
@pytest.mark.parametrize(("sql", "others"), [FITTED[1], FITTED[4]])
def test_the_interval_holds_the_truth_as_often_as_it_says(
    sql: str, others: tuple[str, ...], shop: Session
) -> None:
    release, earlier = fit(sql, others, shop)
    sampler, draws = ExactSampler(), 2_000
    zeros = [np.zeros((groups(r) * draws, 1), dtype=np.int64) for r in (release, *earlier)]
    plain = [planned(sql, shop), *earlier]
    cells = [noised(r.families[0], z, sampler).reshape(draws, -1) for r, z in zip(plain, zeros, strict=True)]
    off = np.array(
        [
            fitted(
                release,
                noisy(release, cells[0][i]),
                [(r, noisy(r, c[i])) for r, c in zip(earlier, cells[1:], strict=True)],
            ).cells[0, 0]
            for i in range(draws)
        ]
    )
    width, alone = (half_width(r.estimators[0], r) for r in (release, plain[0]))
    assert width is not None and alone is not None and width < 0.95 * alone
    # 0.947 to 0.953, since whole numbers are held and sums are nearly normal.
    assert is_share_between(0.945, 0.955, int((np.abs(off) <= width).sum()), draws)
    assert abs(off.mean()) < 7 * off.std() / math.sqrt(draws)


def test_a_sum_of_fitted_groups_is_as_sure_as_it_says(shop: Session) -> None:
    """The total of a fitted table has the noise of both totals, weighed by their variances."""
    release, _ = fit(BOTH, (TOTAL,), shop)
    (part,) = release.parts
    assert isinstance(part, FittedSums)
    (family,) = part.rolled_up((), 12)
    assert isinstance(family, Blended)
    factors = sorted((round(f, 9), n) for f, n, _ in family.noises)
    assert factors == [(round(1 / 13, 9), 12), (round(12 / 13, 9), 1)]


def test_draws_are_weighed_by_their_variances(shop: Session) -> None:
    """Twelve groups added up have twelve times the variance of a total."""
    (family,) = fit(TOTAL, (BOTH,), shop)[0].families
    assert isinstance(family, Blended)
    assert sorted((round(f, 9), n) for f, n, _ in family.noises) == [
        *((round(1 / 13, 9), 12), (round(12 / 13, 9), 1))
    ]


@pytest.mark.parametrize(
    ("sql", "other"),
    [
        (BY_REGION, TOTAL),  # rows whose region is on no list are in the total alone
        (TOTAL, BY_REGION),
        (BY_PAID, "SELECT paid, SUM(quantity) FROM orders GROUP BY paid"),
        (BY_PAID, "SELECT COUNT(DISTINCT customer) FROM orders"),
        (BY_PAID, "SELECT COUNT(*) FILTER (WHERE quantity > 2) FROM orders"),
        ("SELECT paid, COUNT(DISTINCT customer) FROM orders GROUP BY paid", TOTAL),
        (
            "SELECT rating, paid, COUNT(DISTINCT customer) FROM orders GROUP BY rating, paid",
            "SELECT paid, COUNT(DISTINCT customer) FROM orders GROUP BY paid",
        ),
    ],
)
def test_what_is_another_sum_or_of_other_rows_says_nothing(sql: str, other: str, shop: Session) -> None:
    assert fitted_release(planned(sql, shop), [planned(other, shop)], shop._state.context) is None


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT product, COUNT(*) FROM orders GROUP BY product",
        "SELECT rating, paid, COUNT(*) FROM orders GROUP BY ROLLUP (rating, paid)",
        "SELECT MEDIAN(quantity) FROM orders",
        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (clipping = 'private') COUNT(*) FROM orders",
        "SELECT rating FROM orders GROUP BY rating ORDER BY COUNT(*) DESC LIMIT 1",
    ],
)
def test_only_sums_of_public_groups_under_fixed_limits_are_fitted(sql: str, shop: Session) -> None:
    assert not can_be_fitted(planned(sql, shop))


def test_cells_with_little_noise_are_left_as_they_were_drawn(shop: Session) -> None:
    """Rounding to whole numbers would be felt."""
    total, sure = (
        planned(sql.replace("SELECT", f"SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS ({how})"), shop)
        for sql, how in [
            (TOTAL, "epsilon = 0.1, max_rows_contributed = 1"),
            (BY_PAID, "epsilon = 1, max_rows_contributed = 1"),
        ]
    )
    assert fitted_release(sure, [total], shop._state.context) is None
    assert fitted_release(total, [sure], shop._state.context) is not None
