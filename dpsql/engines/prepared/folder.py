"""The folder of prepared tables: a manifest, the DuckDB file that it names, and nothing that others may read.

A run works in a folder of its own inside. Its file is synced and moved out under a name that was never used, and then
the manifest, which names it, is replaced by a rename: whoever reads the manifest at any moment finds the file of the
last run that came to its end. Connections that were opened over the file of the run before may have to open it anew, in
the place of an engine that was killed: it stays as long as it is of the same sources. The next run removes it, and what
other runs have left.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from dpsql.accounting.ledger.recorded_sources import Sources
from dpsql.engines.prepared.manifest import Manifest
from dpsql.errors import OperationalError, PolicyError, Problem
from dpsql.policy.model import Policy
from dpsql.slotted import dataclass

_FOLDER, _FILE = 0o700, 0o600
_OTHERS = 0o077
_NO_MANIFEST = (OSError, ValueError, KeyError, TypeError, AttributeError)


def default_folder(policy: Policy) -> Path:
    """Where prepared tables are: where the policy says, or else beside it."""
    return policy.engine.prepared or policy.path.with_suffix(".prepared")


@dataclass(frozen=True, slots=True)
class PreparedFolder:
    """The files of one policy in a folder; `name` is the policy file's, without its suffix."""

    path: Path
    name: str

    @classmethod
    def of(cls, policy: Policy, path: Path) -> PreparedFolder:
        """The folder of a policy at a path, whether it is there or not."""
        return cls(path, policy.path.stem)

    @property
    def manifest(self) -> Path:
        """The manifest's place."""
        return self.path / f"{self.name}.json"

    def data(self, mark: str) -> Path:
        """The place of the DuckDB file of a run."""
        return self.path / f"{self.name}-{mark}.duckdb"

    def read(self) -> Manifest:
        """The manifest. Raises OSError where there is none; ValueError, KeyError or TypeError for any other text."""
        return Manifest.read(self.manifest.read_text(encoding="ascii"))

    def mistake(self, manifest: Manifest) -> str | None:
        """Why its files are not to be trusted, for the admin; None where they are whole and nobody else's."""
        data = self.path / manifest.file
        try:
            size = data.stat().st_size
            exposed = next((p for p in (self.path, self.manifest, data) if _is_exposed(p)), None)
        except OSError as error:
            return f"{data} cannot be read: {error.strerror}"
        if exposed is not None:
            return f"{exposed} belongs to another user, or others may read it"
        return None if size == manifest.size else f"{data} has another size than was written"

    def prepare(self, policy: Policy) -> None:
        """Makes the folder where it is missing. Raises PolicyError where it cannot be used, or others may look in."""
        path = str(self.path.absolute())
        # DuckDB puts the ending of its log before a `?`.
        message = f"{self.path} cannot be used: a `?` in its path" if "?" in path else self._made()
        if message is not None:
            raise PolicyError((Problem(str(policy.path), None, "engine.prepared", message),))

    def _made(self) -> str | None:
        """Makes the folder; what is wrong with it, or None."""
        try:
            self.path.mkdir(mode=_FOLDER, parents=True, exist_ok=True)
            return f"others may read {self.path}; chmod 700 it" if _is_exposed(self.path) else None
        except OSError as error:
            return f"{self.path} cannot be used: {(error.strerror or str(error)).lower()}"

    @contextmanager
    def one_run(self) -> Iterator[None]:
        """Keeps other runs out, and removes what they left, as this one does where it fails.

        Raises OperationalError where one is at work.
        """
        lock = os.open(
            self.path / f"{self.name}.lock", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW, _FILE
        )
        try:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise OperationalError(
                    f"another `dpsql prepare` is at work in {self.path}; wait for its end"
                ) from None
            self.sweep()
            try:
                yield
            finally:
                self.sweep()
        finally:
            os.close(lock)

    @contextmanager
    def workshop(self, mark: str) -> Iterator[Path]:
        """A folder of a run's own, which is gone afterwards."""
        made = self.path / f"{self.name}-{mark}.unfinished"
        made.mkdir(mode=_FOLDER)
        try:
            yield made
        finally:
            shutil.rmtree(made, ignore_errors=True)

    def publish(self, unfinished: Path, manifest: Manifest) -> None:
        """Puts a finished file in its place and makes it the current one, durably. Raises OSError."""
        unfinished.chmod(_FILE)
        sync(unfinished)
        data = self.path / manifest.file
        unfinished.rename(data)
        written = unfinished.with_name("manifest")
        descriptor = os.open(written, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _FILE)
        with open(descriptor, "w", encoding="ascii") as file:
            file.write(manifest.written())
            file.flush()
            os.fsync(descriptor)
        sync(self.path)  # the file's name is durable before anything leads to it
        written.rename(self.manifest)
        sync(self.path)

    def replaced_by(self, sources: Sources) -> str:
        """The file that open connections still read after a run over these sources; empty where none can.

        Connections over other sources are refused by the version of the data: for them nothing needs to stay.
        """
        with suppress(*_NO_MANIFEST):
            manifest = self.read()
            return manifest.file if manifest.sources == sources else ""
        return ""

    def sweep(self) -> None:
        """Removes what the manifest does not name: what runs have left, and the files of earlier ones."""
        kept = frozenset[str]()
        with suppress(*_NO_MANIFEST):
            manifest = self.read()
            kept = frozenset((manifest.file, manifest.former))
        ours = re.compile(re.escape(self.name) + r"-[0-9a-f]{32}\.(duckdb|unfinished)")
        for path in self.path.iterdir():
            if path.name not in kept and ours.fullmatch(path.name):
                _remove(path)

    def remove(self) -> bool:
        """Removes all files of the policy, and the folder if nothing else is in it; whether there was anything."""
        if not self.path.is_dir():
            return False
        with self.one_run():
            had = self.manifest.exists()
            self.manifest.unlink(missing_ok=True)
            sync(self.path)
            (self.path / f"{self.name}.lock").unlink(missing_ok=True)
        with suppress(OSError):
            self.path.rmdir()
        return had


def _is_exposed(path: Path) -> bool:
    status = path.stat()
    return bool(stat.S_IMODE(status.st_mode) & _OTHERS) or status.st_uid not in (os.geteuid(), 0)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def sync(path: Path) -> None:
    """Makes a file, or the names in a folder, durable. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
