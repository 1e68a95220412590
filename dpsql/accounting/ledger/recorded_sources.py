"""What one version of the data is read from, as the ledger records it; for the admin alone.

Nothing of this enters the key of a release: which answers are one and the same is decided by the number of the version.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, replace

from dpsql.slotted import dataclass

# What an earlier dpsql, which recorded no engine, did not read as it is read now.
_TEXT_FILES = (".csv", ".csv.gz", ".tsv")


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file that tables are read from: a fingerprint that is cheap to take, and a keyed digest of its content.

    `content` is empty where no digest was taken.
    """

    path: str
    tables: tuple[str, ...]
    fingerprint: str
    content: str = ""

    def is_same(self, recorded: SourceFile) -> bool:
        """Whether the recorded file is this one, unchanged. A record may say less of the file than is known by now."""
        same = f"{self.fingerprint}:".startswith(f"{recorded.fingerprint}:")
        return recorded.path == self.path and same


@dataclass(frozen=True, slots=True)
class Sources:
    """The files of a version of the data, the engine that reads them, and the key of the digests of their content.

    Recorded, several files of one path are copies of one content, each of which is accepted. `engine` is empty where
    none is recorded yet.
    """

    engine: str = ""
    files: tuple[SourceFile, ...] = ()
    key: str = ""

    @classmethod
    def read(cls, text: str) -> Sources:
        """What `written` wrote; ValueError, KeyError or TypeError for anything else."""
        fields = json.loads(text)
        files = (SourceFile(**(file | {"tables": tuple(file["tables"])})) for file in fields["files"])
        return cls(fields["engine"], tuple(files), fields["key"])

    def written(self) -> str:
        """Compact JSON."""
        return json.dumps(asdict(self), separators=(",", ":"), ensure_ascii=True)

    def with_more(self, others: Iterable[Sources]) -> Sources:
        """The same with the files of later records."""
        return replace(self, files=(*self.files, *(file for other in others for file in other.files)))

    def changes(self, recorded: Sources) -> tuple[str, ...]:
        """Why these are not the recorded ones, in sentences for the admin; none where nothing is recorded yet."""
        reasons = []
        if recorded.engine not in ("", self.engine):
            reasons.append(
                f"the data was read with {recorded.engine} and would now be read with {self.engine}, "
                "which may keep other rows under a cap"
            )
        for file in self.files if recorded != Sources() else ():
            if not recorded.engine and file.path.lower().endswith(_TEXT_FILES):
                reasons.append(f"{file.path} was read by guesses from its rows, and is read otherwise now")
            elif not any(map(file.is_same, recorded.files)):
                listed = any(file.path == other.path for other in recorded.files)
                reasons.append(
                    f"{file.path} {'has changed' if listed else 'is not a file that the data was read from'}"
                )
        return tuple(reasons)


@dataclass(frozen=True, slots=True)
class Active:
    """The data's current version, and what it is read from."""

    version: int
    sources: Sources

    @property
    def is_recorded(self) -> bool:
        """Whether files and engine are on record; else they are as they are first seen."""
        return bool(self.sources.engine)
