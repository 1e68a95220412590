"""Small defects of what is told about the error of columns made of several released rows."""

from __future__ import annotations

from mutants.mutant import one

SURENESS = ("tests/answers/test_several_rows.py",)

MUTANTS = (
    one(
        "a product of two noisy numbers taken for a weighted sum",
        "dpsql/sql/public/noise_dependence.py",
        "return max(one, other) if Depends.EXACT in (one, other) else max(one, other, Depends.NOISY)",
        "return max(one, other)",
        SURENESS,
    ),
    one(
        "rows that noise chooses taken for certain",
        "dpsql/sql/public/noise_dependence.py",
        "return inside if scope.certain else max(inside, Depends.NOISY)",
        "return inside",
        SURENESS,
    ),
    one(
        "a window in a noisy order taken for a weighted sum",
        "dpsql/sql/public/noise_dependence.py",
        "return inside if not around and scope.certain else max(inside, around, Depends.NOISY)",
        "return max(inside, around)",
        SURENESS,
    ),
    one(
        "fresh noise that is the same in every draw",
        "dpsql/release/uncertainty/replay.py",
        "noise = noise_of(release, draws * len(noisy.keys), sampler).reshape(shape)",
        "noise = noise_of(release, len(noisy.keys), sampler).reshape((1, *shape[1:])).repeat(draws, 0)",
        SURENESS,
    ),
    one(
        "the noise of one group for all",
        "dpsql/release/uncertainty/replay.py",
        "of_group.setdefault((r, g), [])",
        "of_group.setdefault((r, 0), [])",
        SURENESS,
    ),
)
