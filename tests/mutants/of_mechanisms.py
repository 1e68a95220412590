"""Defects of the mechanisms: wrong laws, wrong scales and wrong bounds of what a person can change."""

from __future__ import annotations

from mutants.mutant import Edit, Mutant, one

# What pytest is given: a test file.
LAPLACE = ("tests/mechanisms/test_discrete_laplace.py",)
PARTITIONS = ("tests/mechanisms/test_partition_selection.py",)
SELECTION = ("tests/mechanisms/test_selection.py",)
NOISY_MAX = ("tests/mechanisms/test_noisy_max.py",)
SPARSE_VECTOR = ("tests/mechanisms/test_sparse_vector.py",)
GAUSSIAN = ("tests/mechanisms/test_discrete_gaussian.py",)
RANDOMIZED = ("tests/mechanisms/test_randomized_response.py",)
K_RANDOMIZED = ("tests/mechanisms/test_k_randomized_response.py",)
RAPPOR = ("tests/mechanisms/test_rappor.py",)
QUANTILE = ("tests/mechanisms/test_quantile.py",)
THRESHOLDING = ("tests/mechanisms/test_thresholding.py",)
WEIGHTED = ("tests/mechanisms/test_weighted_selection.py",)
CUBE = ("tests/mechanisms/test_cube.py",)
SMOOTH = ("tests/mechanisms/test_smooth_sensitivity.py",)
PROPOSE_TEST = ("tests/mechanisms/test_propose_test_release.py",)
COMPOSITION = ("tests/mechanisms/test_composition.py",)
GLOBAL_SENSITIVITY = ("tests/mechanisms/test_sensitivity.py",)

MUTANTS = (
    one(
        "widths beyond 64 bits fail where all noise is 0",
        "dpsql/mechanisms/noise/cube.py",
        "if max(int(radii.max()), 1) * max(widths) >= SAFE >> 2:",
        "if int(radii.max()) * max(widths) >= SAFE >> 2:",
        CUBE,
    ),
    one(
        "a threshold fails at a delta whose nearest double is 1",
        "dpsql/mechanisms/partition/thresholding.py",
        "rough = min(float(delta), 1 - 2**-53)",
        "rough = float(delta)",
        THRESHOLDING,
    ),
    one(
        "noise halved",
        "dpsql/mechanisms/noise/discrete_laplace.py",
        'return exact_epsilon(epsilon) / integer("sensitivity", sensitivity, at_least=1)',
        'return 2 * exact_epsilon(epsilon) / integer("sensitivity", sensitivity, at_least=1)',
        LAPLACE,
    ),
    one(
        "threshold one too low",
        "dpsql/mechanisms/partition/partition_selection.py",
        "needed = k + 1 - (counts",
        "needed = k - (counts",
        PARTITIONS,
    ),
    one(
        "wrong selection law: the first success instead of a uniform one",
        "dpsql/mechanisms/selection/noisy_max.py",
        "return int(successes[source.below(successes.size)])",
        "return int(successes[0])",
        SELECTION,
    ),
    one(
        "wrong selection law: coins of half the rate",
        "dpsql/mechanisms/selection/noisy_max.py",
        "bernoulli_exp_many(gaps, rate.denominator, rate.numerator)",
        "bernoulli_exp_many(gaps, 2 * rate.denominator, rate.numerator)",
        SELECTION,
    ),
    one(
        "sparse vector without noise on the queries",
        "dpsql/mechanisms/selection/sparse_vector.py",
        "_reaches(batch, sample(batch.size, rate, coins), bar)",
        "_reaches(batch, 0 * sample(batch.size, rate, coins), bar)",
        SPARSE_VECTOR,
    ),
    one(
        "sparse vector whose noise does not grow with the number of hits",
        "dpsql/mechanisms/selection/sparse_vector.py",
        "(1 - part) * whole / (count * reach)",
        "(1 - part) * whole / reach",
        SPARSE_VECTOR,
    ),
    one(
        "discrete Gaussian at half of sigma",
        "dpsql/mechanisms/noise/discrete_gaussian.py",
        "n, d = sigma_squared.numerator, sigma_squared.denominator",
        "n, d = (sigma_squared / 4).numerator, (sigma_squared / 4).denominator",
        GAUSSIAN,
    ),
    one(
        "discrete Gaussian calibrated to a cell that moves by one",
        "dpsql/mechanisms/noise/discrete_gaussian.py",
        "shift = math.isqrt(int(squared))",
        "shift = 1",
        GAUSSIAN,
    ),
    one(
        "randomized response that flips what it should keep",
        "dpsql/mechanisms/local/randomized_response.py",
        "np.where(flips, 1 - exact, exact)",
        "np.where(flips, exact, 1 - exact)",
        RANDOMIZED,
    ),
    one(
        "k-ary randomized response that replaces with odds of k in place of k - 1",
        "dpsql/mechanisms/local/k_randomized_response.py",
        "coins_of_odds(exact.size, rate, Fraction(k - 1), source)",
        "coins_of_odds(exact.size, rate, Fraction(k), source)",
        K_RANDOMIZED,
    ),
    one(
        "RAPPOR that flips a bit with f in place of f/2",
        "dpsql/mechanisms/local/rappor.py",
        "coins_of_odds(exact.size * k, half, Fraction(1), coins or Coins())",
        "coins_of_odds(exact.size * k, half, Fraction(2), coins or Coins())",
        RAPPOR,
    ),
    one(
        "RAPPOR with the whole epsilon for each bit",
        "dpsql/mechanisms/local/rappor.py",
        "half = exact_epsilon(epsilon) / 2\n    shape",
        "half = exact_epsilon(epsilon)\n    shape",
        RAPPOR,
    ),
    Mutant(
        "quantile by permute-and-flip, the widths left to the point inside a cell",
        (
            Edit(
                "dpsql/mechanisms/selection/quantile.py",
                "import exponential_loss_bound, exponential_mechanism\n",
                "import exponential_loss_bound\nfrom dpsql.mechanisms.selection.noisy_max import permute_and_flip\n",
            ),
            Edit(
                "dpsql/mechanisms/selection/quantile.py",
                "cell = exponential_mechanism(",
                "cell = permute_and_flip(",
            ),
            Edit(
                "dpsql/mechanisms/selection/quantile.py",
                "        weights=ends[1:] - ends[:-1],\n",
                "",
            ),
        ),
        QUANTILE,
    ),
    one(
        "threshold of released counts one too low",
        "dpsql/mechanisms/partition/thresholding.py",
        "return 1 + tail_point(exact_epsilon(epsilon) / groups",
        "return tail_point(exact_epsilon(epsilon) / groups",
        THRESHOLDING,
    ),
    one(
        "top k with the whole epsilon for each choice",
        "dpsql/mechanisms/selection/noisy_max.py",
        "exact_epsilon(epsilon) / k\n",
        "exact_epsilon(epsilon)\n",
        NOISY_MAX,
    ),
    one(
        "noisy maximum whose ties go to the first",
        "dpsql/mechanisms/selection/noisy_max.py",
        "return int(tied[coins.below(tied.size)])",
        "return int(tied[0])",
        NOISY_MAX,
    ),
    one(
        "cube whose boxes lack a point on each side",
        "dpsql/mechanisms/noise/cube.py",
        "math.prod(2 * radius * w + 1 for w in widths)",
        "math.prod(2 * radius * w + 2 for w in widths)",
        CUBE,
    ),
    one(
        "smooth median with noise of its local sensitivity",
        "dpsql/mechanisms/noise/smooth_sensitivity.py",
        "scale = 2 * _smooth(ordered, budget / 4) / budget",
        "scale = 2 * Fraction(max(int(sensitivities(ordered, 1)[0]), 1)) / budget",
        SMOOTH,
    ),
    one(
        "propose-test-release without its test",
        "dpsql/mechanisms/noise/propose_test_release.py",
        "if steps + draw_one(rate, source) < needed:",
        "if steps < 1:",
        PROPOSE_TEST,
    ),
    one(
        "advanced composition without its drift",
        "dpsql/mechanisms/analysis/composition.py",
        "return Guarantee(loss * spread + drift, k * guarantee.delta + slack)",
        "return Guarantee(loss * spread, k * guarantee.delta + slack)",
        COMPOSITION,
    ),
    one(
        "a replaced person of a histogram moves one cell",
        "dpsql/mechanisms/analysis/global_sensitivity.py",
        "return Sensitivity(Fraction(m * relation.factor), Fraction(m**2 * relation.factor))",
        "return Sensitivity(Fraction(m), Fraction(m**2))",
        GLOBAL_SENSITIVITY,
    ),
    one(
        "a replaced unit moves weights no farther than one that comes",
        "dpsql/mechanisms/partition/weighted_selection.py",
        "math.ceil(MOST_GROUPS * neighbours.factor / (2 *",
        "math.ceil(MOST_GROUPS / (2 *",
        WEIGHTED,
    ),
    one(
        "weights that add up to one rather than their squares",
        "dpsql/mechanisms/partition/weighted_selection.py",
        "return math.isqrt(MOST_GROUPS // integer(",
        "return math.isqrt(MOST_GROUPS) // math.isqrt(integer(",
        WEIGHTED,
    ),
    one(
        "a threshold that forgets units with the most groups",
        "dpsql/mechanisms/partition/weighted_selection.py",
        "for t in (1, most))",
        "for t in (1,))",
        WEIGHTED,
    ),
    one(
        "the threshold of a unit with the most groups alone",
        "dpsql/mechanisms/partition/weighted_selection.py",
        "for t in (1, most))",
        "for t in (most,))",
        WEIGHTED,
    ),
    one(
        "a tail for each group instead of one for all of them",
        "dpsql/mechanisms/partition/weighted_selection.py",
        "_tail_point(variance, level / groups)",
        "_tail_point(variance, level)",
        WEIGHTED,
    ),
    one(
        "weights that reach the threshold are shown",
        "dpsql/mechanisms/partition/weighted_selection.py",
        "shown[present] = noisy > threshold",
        "shown[present] = noisy >= threshold",
        WEIGHTED,
    ),
    one(
        "groups of nobody may be shown",
        "dpsql/mechanisms/partition/weighted_selection.py",
        "present = np.flatnonzero(flat)",
        "present = np.arange(flat.size)",
        WEIGHTED,
    ),
    one(
        "noise of half of sigma for weights",
        "dpsql/mechanisms/partition/weighted_selection.py",
        "sample(present.size, variance, coins",
        "sample(present.size, variance / 4, coins",
        WEIGHTED,
    ),
    one(
        "orders of a Gaussian at which a loss of few billionths has no rho",
        "dpsql/plan/sums/noise_laws.py",
        "    if largest(x) <= 0:",
        "    if not x:",
        ("tests/plan/test_noise_laws.py",),
    ),
    one(
        "a Gaussian for more than its cost is found to be",
        "dpsql/plan/sums/noise_laws.py",
        " or zcdp_delta(rho, epsilon) > delta",
        "",
        ("tests/plan/test_noise_laws.py",),
    ),
)
