"""The ledger's tables: append-only, strict, integers only.

An entry is one query's payment. A balance is the running totals of one account after an entry, so that what is spent
is one index lookup, and what was spent in a window is the difference of two; where a partition's parts are charged by
themselves, it holds theirs as well. A charge is one release that the entry paid for, with the parts that it is confined
to, NULL for all, and the path of noise that it is on; each credit is what the analyst, the role or the dataset had paid
on that path before, event by event, an empty list for nothing, and NULL where that account does not pay: the dataset
pays where the release is drawn. `shelf` holds one draw for each key; a receipt says that an analyst or a role has
paid for and received the stored draw. Charges and receipts name the rows that they are about by a digest, so that a
release about the same rows is found without reading the others. Datasets share nothing but the file. Grants are the
limits under which accounts paid, each time they change. The log tells who did what, each line with a hash over itself
and the line before. Repeats number the free answers that came of an entry, each with its line of the log.
"""

from __future__ import annotations

APPLICATION = 0x64507351
FORMAT = 7

TABLES = (
    """CREATE TABLE versions (
        dataset TEXT NOT NULL,
        version INTEGER NOT NULL CHECK (version >= 1),
        time INTEGER NOT NULL,
        who TEXT NOT NULL,
        PRIMARY KEY (dataset, version)
    )""",
    """CREATE TABLE fingerprints (
        dataset TEXT NOT NULL,
        source TEXT NOT NULL,
        version INTEGER NOT NULL,
        fingerprint TEXT NOT NULL,
        PRIMARY KEY (dataset, source, version),
        FOREIGN KEY (dataset, version) REFERENCES versions (dataset, version)
    )""",
    """CREATE TABLE entries (
        id INTEGER PRIMARY KEY,
        time INTEGER NOT NULL,
        dataset TEXT NOT NULL,
        analyst TEXT NOT NULL,
        role TEXT,
        policy_digest TEXT NOT NULL,
        data_version INTEGER NOT NULL,
        accountant TEXT NOT NULL,
        epsilon INTEGER NOT NULL CHECK (epsilon >= 0),
        delta INTEGER NOT NULL CHECK (delta >= 0),
        FOREIGN KEY (dataset, data_version) REFERENCES versions (dataset, version)
    )""",
    "CREATE INDEX entries_by_time ON entries (time)",
    "CREATE INDEX entries_of_analyst ON entries (dataset, analyst, id)",
    """CREATE TABLE balances (
        dataset TEXT NOT NULL,
        account TEXT NOT NULL,
        entry INTEGER NOT NULL REFERENCES entries,
        totals TEXT NOT NULL,
        PRIMARY KEY (dataset, account, entry)
    )""",
    "CREATE INDEX balances_of_entry ON balances (entry)",
    """CREATE TABLE charges (
        entry INTEGER NOT NULL REFERENCES entries,
        key TEXT NOT NULL,
        canonical TEXT NOT NULL,
        events TEXT NOT NULL,
        own_credit TEXT NOT NULL,
        role_credit TEXT,
        drawn_credit TEXT,
        about TEXT NOT NULL,
        parts TEXT,
        path TEXT NOT NULL,
        PRIMARY KEY (entry, key)
    )""",
    """CREATE TABLE shelf (
        dataset TEXT NOT NULL,
        key TEXT NOT NULL,
        entry INTEGER NOT NULL,
        payload BLOB NOT NULL,
        path TEXT NOT NULL,
        PRIMARY KEY (dataset, key),
        FOREIGN KEY (entry, key) REFERENCES charges (entry, key)
    )""",
    "CREATE INDEX shelf_of_path ON shelf (dataset, path) WHERE path <> ''",
    """CREATE TABLE receipts (
        dataset TEXT NOT NULL,
        account TEXT NOT NULL,
        key TEXT NOT NULL,
        entry INTEGER NOT NULL,
        about TEXT NOT NULL,
        PRIMARY KEY (dataset, account, key),
        FOREIGN KEY (dataset, key) REFERENCES shelf (dataset, key),
        FOREIGN KEY (entry, key) REFERENCES charges (entry, key)
    )""",
    "CREATE INDEX receipts_about ON receipts (dataset, account, about, entry)",
    """CREATE TABLE grants (
        dataset TEXT NOT NULL,
        policy_digest TEXT NOT NULL,
        account TEXT NOT NULL,
        entry INTEGER NOT NULL REFERENCES entries,
        terms TEXT NOT NULL,
        PRIMARY KEY (dataset, policy_digest, account, entry)
    )""",
    "CREATE INDEX grants_of_entry ON grants (entry)",
    """CREATE TABLE log (
        id INTEGER PRIMARY KEY,
        time INTEGER NOT NULL,
        dataset TEXT NOT NULL,
        who TEXT NOT NULL,
        what TEXT NOT NULL,
        body TEXT NOT NULL,
        hash TEXT NOT NULL
    )""",
    """CREATE TABLE repeats (
        entry INTEGER NOT NULL REFERENCES entries,
        count INTEGER NOT NULL CHECK (count >= 1),
        line INTEGER NOT NULL REFERENCES log,
        PRIMARY KEY (entry, count)
    )""",
)

NAMES = (
    *("versions", "fingerprints", "entries", "balances", "charges", "shelf", "receipts", "grants", "log"),
    "repeats",
)

# Tables whose rows are large, or numbered, are better off with a rowid.
WITH_ROWID = ("entries", "shelf", "log")


def _in_sqlite(statement: str) -> str:
    _, kind, name, *_ = statement.split()
    if kind != "TABLE":
        return statement
    return f"{statement} STRICT" if name in WITH_ROWID else f"{statement} STRICT, WITHOUT ROWID"


GUARDS = tuple(
    f"CREATE TRIGGER {table}_{verb.lower()} BEFORE {verb} ON {table} "
    f"BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END"
    for table in NAMES
    for verb in ("UPDATE", "DELETE")
)

CREATION = (
    *map(_in_sqlite, TABLES),
    *GUARDS,
    f"PRAGMA application_id = {APPLICATION}",
    f"PRAGMA user_version = {FORMAT}",
)
