"""Small defects of what is kept for the analyst alone, and of what the analyst is told."""

from __future__ import annotations

from mutants.mutant import one

MUTANTS = (
    one(
        "others may read a file of questions that was there before",
        "dpsql/interfaces/cli/own_files/state_folder.py",
        "        path.chmod(0o600)\n",
        "        path.stat()\n",
        ("tests/cli/test_question_log.py", "-k", "others_could_read"),
    ),
    one(
        "questions are kept although nothing was to be kept",
        "dpsql/interfaces/cli/own_files/question_log.py",
        "return QuestionLog(state_folder() / FILE if kept else None,",
        "return QuestionLog(state_folder() / FILE,",
        ("tests/cli/test_question_log.py", "-k", "nothing_is_kept"),
    ),
    one(
        "what the dataset has left says which epsilon fits",
        "dpsql/accounting/ledger/ledger.py",
        "        own, most = request.own_account, request.per_query\n",
        "        own, most = request.dataset_account, request.per_query\n",
        ("tests/answers/test_what_fits.py",),
    ),
    one(
        "a refusal for a budget that others pay from says what fits",
        "dpsql/stages/what_fits.py",
        "        if refusal.left_epsilon is None:  # others pay from that budget, too\n",
        "        if refusal.account is None:\n",
        ("tests/attacks/test_others.py", "-k", "no_amounts"),
    ),
)
