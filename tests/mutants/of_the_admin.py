"""Small defects of what an admin relies on: grants, copies of a ledger, exact counts, and the unit that is meant."""

from __future__ import annotations

from mutants.mutant import one

GRANTS = ("tests/policy/test_granted_analysts.py",)
COPIES = ("tests/cli/test_ledger_backup.py",)
EXACT = ("tests/cli/test_exact_check.py",)

MUTANTS = (
    one(
        "a revoked analyst has the budget of the role, or the default's",
        "dpsql/policy/model.py",
        "        if analyst in self.revoked:\n",
        "        if analyst is None:\n",
        GRANTS,
    ),
    one(
        "an epsilon of 0 is the default's budget",
        "dpsql/policy/rules/budgets.py",
        "if shape.revoked or shape.epsilon == 0]",
        "if shape.revoked]",
        GRANTS,
    ),
    one(
        "whom the policy does not name has the default, whatever it says of them",
        "dpsql/policy/model.py",
        "return None if self.unknown_analysts is UnknownAnalysts.REFUSE else self.default\n",
        "return self.default\n",
        GRANTS,
    ),
    one(
        "an old copy of a ledger hands back what was spent since",
        "dpsql/accounting/ledger_backups.py",
        "        if copied.lost and not accept_loss:\n",
        "        if copied.lost and accept_loss:\n",
        COPIES,
    ),
    one(
        "a copy that somebody changed is put back",
        "dpsql/accounting/ledger_backups.py",
        "        if wrong:\n",
        "        if not wrong and file is None:\n",
        COPIES,
    ),
    one(
        "the file of a ledger in use passes for a copy, without its newest charges",
        "dpsql/accounting/ledger_backups.py",
        "    if log.exists() and log.stat().st_size:\n",
        "    if log.is_dir():\n",
        COPIES,
    ),
    one(
        "exact counts go to whatever stdout is",
        "dpsql/interfaces/cli/admin.py",
        "    if exact and not (is_terminal() or even_piped):\n",
        "    if exact and even_piped is None:\n",
        EXACT,
    ),
    one(
        "a key of visits passes for one of patients",
        "dpsql/policy/naming/suspected_units.py",
        "    if elsewhere:\n",
        "    if elsewhere and like is not None:\n",
        ("tests/cli/test_wrong_unit.py",),
    ),
)
