"""The ledger's tables: append-only, strict, integers only.

An entry is one query's payment: what the analyst's account and the dataset's account paid, and both running
totals after it, so that a balance is one index lookup. A charge is one release that the entry paid for. The
shelf holds one draw for each key; a receipt says that an analyst has paid for and received the stored draw.
"""

from __future__ import annotations

APPLICATION = 0x64507351
FORMAT = 1

TABLES = (
    """CREATE TABLE versions (
        version INTEGER PRIMARY KEY CHECK (version >= 1),
        time INTEGER NOT NULL,
        who TEXT NOT NULL
    ) STRICT""",
    """CREATE TABLE fingerprints (
        source TEXT NOT NULL,
        version INTEGER NOT NULL REFERENCES versions,
        fingerprint TEXT NOT NULL,
        PRIMARY KEY (source, version)
    ) STRICT, WITHOUT ROWID""",
    """CREATE TABLE entries (
        id INTEGER PRIMARY KEY,
        time INTEGER NOT NULL,
        analyst TEXT NOT NULL,
        policy_digest TEXT NOT NULL,
        data_version INTEGER NOT NULL REFERENCES versions,
        accountant TEXT NOT NULL,
        paid_epsilon INTEGER NOT NULL CHECK (paid_epsilon >= 0),
        paid_delta INTEGER NOT NULL CHECK (paid_delta >= 0),
        drawn_epsilon INTEGER NOT NULL CHECK (drawn_epsilon >= 0),
        drawn_delta INTEGER NOT NULL CHECK (drawn_delta >= 0),
        analyst_epsilon INTEGER NOT NULL CHECK (analyst_epsilon >= paid_epsilon),
        analyst_delta INTEGER NOT NULL CHECK (analyst_delta >= paid_delta),
        dataset_epsilon INTEGER NOT NULL CHECK (dataset_epsilon >= drawn_epsilon),
        dataset_delta INTEGER NOT NULL CHECK (dataset_delta >= drawn_delta)
    ) STRICT""",
    "CREATE INDEX entries_of_analyst ON entries (analyst, id)",
    """CREATE TABLE charges (
        entry INTEGER NOT NULL REFERENCES entries,
        key TEXT NOT NULL,
        canonical TEXT NOT NULL,
        events TEXT NOT NULL,
        drawn INTEGER NOT NULL CHECK (drawn IN (0, 1)),
        PRIMARY KEY (entry, key)
    ) STRICT, WITHOUT ROWID""",
    """CREATE TABLE shelf (
        key TEXT PRIMARY KEY,
        entry INTEGER NOT NULL,
        payload BLOB NOT NULL,
        FOREIGN KEY (entry, key) REFERENCES charges (entry, key)
    ) STRICT""",
    """CREATE TABLE receipts (
        analyst TEXT NOT NULL,
        key TEXT NOT NULL REFERENCES shelf,
        entry INTEGER NOT NULL,
        PRIMARY KEY (analyst, key),
        FOREIGN KEY (entry, key) REFERENCES charges (entry, key)
    ) STRICT, WITHOUT ROWID""",
)

NAMES = ("versions", "fingerprints", "entries", "charges", "shelf", "receipts")

GUARDS = tuple(
    f"CREATE TRIGGER {table}_{verb.lower()} BEFORE {verb} ON {table} "
    f"BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END"
    for table in NAMES
    for verb in ("UPDATE", "DELETE")
)

CREATION = (
    *TABLES,
    *GUARDS,
    f"PRAGMA application_id = {APPLICATION}",
    f"PRAGMA user_version = {FORMAT}",
)
