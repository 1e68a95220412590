"""Defects of a ledger in PostgreSQL: what a session believes of the server, and of the ledger that it finds there."""

from __future__ import annotations

from mutants.mutant import one

TRUST = ("tests/accounting/test_postgres_trust.py",)
CHECKS = "dpsql/accounting/storage/postgres_checks.py"
STORE = "dpsql/accounting/storage/postgres.py"

MUTANTS = (
    one(
        "a ledger on a server that is known by its length",
        CHECKS,
        "line != known[1]",
        "line is None",
        (*TRUST, "-k", "older_state"),
    ),
    one(
        "lines that may vanish in a crash are remembered",
        CHECKS,
        "WHERE pg_current_xact_id_if_assigned() IS NOT NULL ORDER",
        "ORDER",
        (*TRUST, "-k", "may_vanish"),
    ),
    one(
        "a charge that no standby has confirmed is answered",
        STORE,
        'if "WARNING" in told:',
        'if "ERROR" in told:',
        (*TRUST, "-k", "standby"),
    ),
    one(
        "a host on a server's ledger may have any clock",
        CHECKS,
        "abs(time.time() - now) > APART",
        "now < 0",
        (*TRUST, "-k", "clock"),
    ),
    one(
        "two hosts on a ledger may be further apart than clocks may be set back",
        CHECKS,
        "APART = TOLERANCE // 2",
        "APART = TOLERANCE",
        (*TRUST, "-k", "clock"),
    ),
    one(
        "a server that stops syncing is looked at once",
        CHECKS,
        'if setting != "on":',
        'if setting != "on" and known is None:',
        (*TRUST, "-k", "may_lose"),
    ),
    one(
        "an analyst is told when others asked",
        "dpsql/accounting/ledger/balances.py",
        "            \"the computer's clock was set back, behind the ledger's last entry: `dpsql",
        "            f\"the computer's clock was set back, behind the ledger's last entry ({last}): `dpsql",
        ("tests/accounting/test_windows.py", "-k", "set_back"),
    ),
    one(
        "an analyst is told how many questions all have asked",
        "dpsql/accounting/ledger/high_water_mark.py",
        "has fewer entries than were once written",
        "has fewer entries than the {highest} that were once written",
        ("tests/accounting/test_ledger_faults.py", "-k", "old_copy"),
    ),
    one(
        "whoever makes the ledger first owns it",
        CHECKS,
        "    _require_owners(where, db)\n",
        "",
        (*TRUST, "-k", "somebody_else"),
    ),
    one(
        "a superuser takes everybody's ledger for its own",
        CHECKS,
        "AND (me.rolsuper OR NOT pg_has_role(r.oid, 'USAGE'))",
        "AND NOT pg_has_role(r.oid, 'USAGE')",
        (*TRUST, "-k", "somebody_else"),
    ),
    one(
        "rows of a ledger that the user may not see count as none",
        STORE,
        '"SET LOCAL row_security = off"',
        '"SET LOCAL row_security = on"',
        (*TRUST, "-k", "may_not_see"),
    ),
    one(
        "a user's setting that hides what a commit warns of",
        STORE,
        '"SET LOCAL client_min_messages = warning"',
        '"SET LOCAL client_min_messages = error"',
        (*TRUST, "-k", "standby"),
    ),
)
