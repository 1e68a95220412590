"""Defects of what a version of the data is bound to, and of what an analyst is told of others."""

from __future__ import annotations

from mutants.mutant import one

VERSIONS = ("tests/attacks/test_versions.py",)
COPIES = ("tests/attacks/test_copied_sources.py",)
OTHERS = ("tests/attacks/test_others.py",)

MUTANTS = (
    one(
        "a log beside the file that a link leads to is not looked for",
        "dpsql/engines/sources/fingerprints.py",
        "dict.fromkeys((str(path), os.path.realpath(path)))",
        "(str(path),)",
        ("tests/attacks/test_versions.py", "-k", "link"),
    ),
    one(
        "rows in a write-ahead log served as if they were in the file",
        "dpsql/engines/sources/fingerprints.py",
        '_BESIDE = (".wal", ".wal.checkpoint", ".wal.recovery")',
        "_BESIDE: tuple[str, ...] = ()",
        VERSIONS,
    ),
    one(
        "a restored file known by its inode",
        "dpsql/engines/sources/fingerprints.py",
        'return f"{status.st_size}:{status.st_mtime_ns}{digest}"',
        'return f"{status.st_size}:{status.st_mtime_ns}{digest}:{status.st_ino}"',
        VERSIONS,
    ),
    one(
        "a file known by its size and its time alone",
        "dpsql/engines/sources/fingerprints.py",
        "            named = _named(file, source.kind, status.st_size)\n",
        '            named = b""\n',
        VERSIONS,
    ),
    one(
        "a path that is not on record is served",
        "dpsql/accounting/ledger/recorded_sources.py",
        "            elif not any(map(file.is_same, recorded.files)):\n",
        "            elif any(file.path == k.path and not file.is_same(k) for k in recorded.files):\n",
        VERSIONS,
    ),
    one(
        "files of former versions stay in the active set",
        "dpsql/accounting/ledger/data_versions.py",
        '"SELECT source, fingerprint FROM fingerprints WHERE dataset = ? AND version = ?", (dataset, version)',
        '"SELECT source || version, fingerprint FROM fingerprints WHERE dataset = ? AND version <= ?",\n'
        "        (dataset, version),",
        VERSIONS,
    ),
    one(
        "another version of the engine taken for the same",
        "dpsql/accounting/ledger/recorded_sources.py",
        'if recorded.engine not in ("", self.engine):',
        "if False:",
        VERSIONS,
    ),
    one(
        "a copy accepted without a look at its content",
        "dpsql/engines/sources/data_version.py",
        "if other.content == content)",
        "if content)",
        COPIES,
    ),
    one(
        "a copy of any file accepted for any table",
        "dpsql/engines/sources/data_version.py",
        "(other.path == file.path or set(file.tables) <= set(other.tables))",
        "True",
        COPIES,
    ),
    one(
        "sources not looked at again after the run",
        "dpsql/stages/draw.py",
        "    with s.sources_read():\n",
        "    with nullcontext():\n",
        VERSIONS,
    ),
    one(
        "sources not looked at again once the engines are open",
        "dpsql/stages/state.py",
        "        if stamps(policy) != before:\n",
        "        if False:\n",
        VERSIONS,
    ),
    one(
        "what the dataset has left shown to an analyst",
        "dpsql/stages/state.py",
        "own.account.limit, own.spent, own.remaining, own.ends",
        "own.account.limit, own.spent, "
        "self.ledger.standing(self.request, self.request.dataset_account).remaining, own.ends",
        OTHERS,
    ),
    one(
        "what the dataset has left in the analyst's table of the budget",
        "dpsql/sql/system_tables/dpsql_tables.py",
        "    costs = (own.account.limit, own.spent, own.remaining,",
        "    costs = (own.account.limit, own.spent, "
        "s.ledger.standing(s.request, s.request.dataset_account).remaining,",
        OTHERS,
    ),
    one(
        "how many queries fit counted by what the dataset has left",
        "dpsql/accounting/ledger/spent.py",
        "request.own_account, MOST_REPEATS",
        "request.dataset_account, MOST_REPEATS",
        OTHERS,
    ),
    one(
        "a refusal that says what the dataset has left",
        "dpsql/accounting/ledger/balances.py",
        "if account != request.own_account:",
        "if False:",
        OTHERS,
    ),
    one(
        "answers that others had drawn come before the deadline",
        "dpsql/stages/draw.py",
        "with s.deadline.held() if stored.entry is not None else",
        "with s.deadline.held() if any(c and not stored.get(c.key) for c in query.charges) else",
        OTHERS,
    ),
)
