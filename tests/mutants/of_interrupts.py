"""Small defects of what an interrupt stops and says, and of who is asked how far work is."""

from __future__ import annotations

from mutants.mutant import one

INTERRUPTS = "tests/cli/test_interrupts.py"
THREADS = "tests/process/test_threads.py"

MUTANTS = (
    one(
        "an interrupt that came after the charge says that nothing was charged",
        "dpsql/release/interrupted_charge.py",
        "    if cost == FREE:\n",
        "    if cost != FREE or cost == FREE:\n",
        (INTERRUPTS, "-k", "what_is_said"),
    ),
    one(
        "the analyst's own log says that an interrupted query was free",
        "dpsql/interfaces/cli/own_files/question_log.py",
        "        self.cost = cost\n",
        "        self.cost = self.cost\n",
        (INTERRUPTS, "-k", "query_of_the_shell"),
    ),
    one(
        "an interrupted calibration that was paid for says that nothing was charged",
        "dpsql/stages/calibrate.py",
        "        if not ledger.is_paid(key):\n",
        "        if ledger.stored(key) is None:\n",
        (INTERRUPTS, "-k", "every_account_paid"),
    ),
    one(
        "a calibration that is interrupted after its draw says that nothing was charged",
        "dpsql/interfaces/cli/calibrate_command.py",
        "        if kept:\n",
        "        if not kept:\n",
        (INTERRUPTS, "-k", "after_its_draw"),
    ),
    one(
        "the engine of an interrupted query goes on",
        "dpsql/engines/process.py",
        "        except BaseException:\n            self._restart()\n            raise\n",
        "        except BaseException:\n            raise\n",
        (INTERRUPTS, "-k", "query_of_the_shell"),
    ),
    one(
        "queries from a pipe go on after an interrupt",
        "dpsql/interfaces/cli/shell/shell_command.py",
        "            if stop_at_error:\n                raise\n",
        "            if stop_at_error and log is None:\n                raise\n",
        (INTERRUPTS, "-k", "pipe"),
    ),
    one(
        "work that comes while its thread leaves is taken by that and by a new one",
        "dpsql/sql/own_stack.py",
        "        mine = object()\n",
        "        mine = self._work\n",
        (THREADS, "-k", "done_once"),
    ),
    one(
        "no thread stays",
        "dpsql/sql/own_stack.py",
        "get(timeout=self._seconds)",
        "get(timeout=0)",
        (THREADS, "-k", "until_it_is_let_go"),
    ),
    one(
        "a connection is asked how far it is after its work",
        "dpsql/interfaces/cli/terminal/spinner.py",
        "        with self._lock:\n            if phase.name",
        "        if phase:\n            if phase.name",
        ("tests/cli/test_cli_spinner.py", "-k", "once_the_next"),
    ),
)
