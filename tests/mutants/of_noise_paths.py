"""Defects of draws on one path of noise, and of what is paid for them."""

from __future__ import annotations

from mutants.mutant import one

NOISE_PATH = ("tests/mechanisms/test_noise_path.py",)
LEDGER = ("tests/accounting/test_noise_paths.py",)
ANSWERS = ("tests/answers/test_finer_answers.py",)
POWER = ("tests/accounting/test_power_loss.py",)
RECEIVED = ("tests/answers/test_received.py", "-k", "lost")
AVERAGED = ("tests/answers/test_averaged_draws.py", "-k", "lost")

MUTANTS = (
    one(
        "two atoms that meet left out of what lies between two releases",
        "dpsql/mechanisms/noise/noise_path.py",
        "if zero else (Fraction(0), Fraction(0))",
        "if not zero else (Fraction(0), Fraction(0))",
        NOISE_PATH,
    ),
    one(
        "what is added to a release never 0 by its atom",
        "dpsql/mechanisms/noise/noise_path.py",
        "return draw_one(rough, coins) if chosen(weights, coins) else 0",
        "return draw_one(rough, coins)",
        NOISE_PATH,
    ),
    one(
        "two who refine one draw at once both keep theirs",
        "dpsql/accounting/ledger/stored_releases.py",
        "if count(db, dataset, path) != beside and",
        "if beside < 0 and",
        LEDGER,
    ),
    one(
        "who has nothing of a path credited with what the dataset paid",
        "dpsql/accounting/ledger/path_credit.py",
        "    if account == DATASET:",
        "    if account:",
        LEDGER,
    ),
    one(
        "a finer draw that costs nothing more",
        "dpsql/accounting/ledger/path_credit.py",
        "        replace(e, cost=Cost(e.cost.epsilon - paid), refines=paid) if paid else e",
        "        e",
        LEDGER,
    ),
    one(
        "verification that believes every credit",
        "dpsql/accounting/ledger/path_credit.py",
        "if not _covers(before, claimed, charge):",
        "if not claimed:",
        LEDGER,
    ),
    one(
        "a window that counts differences alone",
        "dpsql/accounting/ledger/spent.py",
        ".each(in_window)",
        "",
        LEDGER,
    ),
    one(
        "the rho of a refinement without what the coarser draw may hide",
        "dpsql/accounting/accountants/losses.py",
        "return 2 * (coarser + more)",
        "return coarser + more",
        LEDGER,
    ),
    one(
        "the farthest finer draw taken for the nearest",
        "dpsql/accounting/ledger/path_credit.py",
        "finer.append(min(",
        "finer.append(max(",
        ANSWERS,
    ),
    one(
        "a finer draw that is independent of the coarser one, for the difference",
        "dpsql/release/draw/earlier_releases.py",
        "if coarser is None and finer is None:",
        "if finer is None:",
        ANSWERS,
    ),
    one(
        "draws of several versions on one path",
        "dpsql/plan/noise_paths.py",
        "if VERSION == _FIRST else",
        "if VERSION else",
        ANSWERS,
    ),
    one(
        "differences where a budget has a window",
        "dpsql/plan/noise_paths.py",
        "return adds_up(policy) and windows == {Window.NEVER}",
        "return adds_up(policy)",
        ANSWERS,
    ),
    one(
        "differences under an accountant of rho",
        "dpsql/plan/noise_paths.py",
        "return policy.accountant in _ADDING",
        "return True",
        ANSWERS,
    ),
    one(
        "a draw of its own taken for one on the path",
        "dpsql/stages/charges.py",
        'on_path = replace(alone, key=digest("on a path", alone.key), path=path)',
        "on_path = replace(alone, path=path)",
        ANSWERS,
    ),
    one(
        "a draw beside others shown before it is on the disk",
        "dpsql/accounting/ledger/ledger.py",
        "durable=beside > 0",
        "durable=False",
        POWER,
    ),
    one(
        "a charge that is on the disk some time later",
        "dpsql/accounting/storage/sqlite.py",
        "'FULL' if wait else 'NORMAL'",
        "'NORMAL'",
        POWER,
    ),
    one(
        "every draw waited for",
        "dpsql/accounting/ledger/ledger.py",
        "durable=beside > 0",
        "durable=True",
        POWER,
    ),
    one(
        "an implied answer read from a draw that the ledger has lost",
        "dpsql/stages/reuse.py",
        "(query.memory)\n    if isinstance(remembered, PreparedQuery) and _is_held(remembered, s):",
        "(query.memory)\n    if isinstance(remembered, PreparedQuery):",
        RECEIVED,
    ),
    one(
        "a mean read from draws that the ledger has lost",
        "dpsql/stages/reuse.py",
        "query.memory))\n    if isinstance(remembered, PreparedQuery) and _is_held(remembered, s):",
        "query.memory))\n    if isinstance(remembered, PreparedQuery):",
        AVERAGED,
    ),
    one(
        "a commit that waits for the disk as the first one did",
        "dpsql/accounting/storage/sqlite.py",
        "if wait is not self._waits:",
        "if self._waits is None:",
        POWER,
    ),
)
