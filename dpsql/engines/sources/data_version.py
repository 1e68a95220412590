"""Which version of the data is served: what is recorded for it is what there is, or nobody is served."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from dpsql.accounting.ledger.ledger import Ledger
from dpsql.accounting.ledger.recorded_sources import Active, SourceFile, Sources
from dpsql.engines.sources.fingerprints import content_of, sources_of, with_contents
from dpsql.errors import OperationalError, PolicyError, Problem
from dpsql.mechanisms.coins import Coins
from dpsql.policy.model import Policy

_KEY_BYTES = 32
_REFRESH = "run `dpsql refresh` without --same"
_UNLIKE = f"is not a copy of a file that this was read from; if the data is another, {_REFRESH}"
T = TypeVar("T")


def require_recorded(active: Active, sources: Sources, log: Callable[[str], None]) -> None:
    """OperationalError where the sources are not those of the data's current version; the admin's log says why."""
    changes = sources.changes(active.sources)
    if changes:
        log("; ".join(changes))
        raise OperationalError(
            "the data has changed; the admin must run `dpsql refresh` before it is served, or call dpsql.refresh where "
            "frames are handed over"
        )


def recorded(
    policy: Policy, book: Ledger, active: Active, sources: Sources, log: Callable[[str], None]
) -> Active:
    """The current version, put on record where it is served for the first time. Raises OperationalError."""
    if active.is_recorded:
        return active
    stands = book.first_seen(_digested(policy, sources))
    require_recorded(stands, sources, log)
    return stands


def begin_version(policy: Policy, book: Ledger, who: str) -> int:
    """Records that the data has changed, as a public event; the number of the version that begins."""
    return book.refresh(_digested(policy, sources_of(policy)), who)


def accept_copies(policy: Policy, book: Ledger, who: str) -> int:
    """Records files that were moved or restored as what they were before; how many there are.

    Raises PolicyError, and records nothing, where one is not byte for byte what the current version is read from.
    """
    active, sources = book.active(), sources_of(policy)
    if active.sources.engine not in ("", sources.engine):
        raise _mistake(policy, f"{'; '.join(replace(sources, files=()).changes(active.sources))}; {_REFRESH}")
    new = [f for f in sources.files if not any(f.is_same(known) for known in active.sources.files)]
    problems, copies = [], []
    for file in new:
        original = _reading(policy, partial(_original, file, active.sources, _depth(policy, file)))
        if original is None:
            at = f"tables.{file.tables[0]}.source"
            problems.append(Problem(str(policy.path), None, at, f"{file.path} {_UNLIKE}"))
        else:
            copies.append(replace(original, path=file.path, fingerprint=file.fingerprint))
    if problems:
        raise PolicyError(tuple(problems))
    _require_still(policy, sources)
    if copies:
        book.accept(Sources(active.sources.engine, tuple(copies), active.sources.key), active.version, who)
    return len(copies)


def _depth(policy: Policy, file: SourceFile) -> int:
    """How many parts of a file's path a pattern gave, which its rows may depend on; 0 for a file that is named."""
    read = (t.source for t in policy.tables if t.name.lower() in file.tables)
    return max((len(s.parts) for s in read if s.path != Path(file.path)), default=0)


def _original(file: SourceFile, recorded: Sources, depth: int) -> SourceFile | None:
    """The recorded file of that place, or of these tables, that has the same content.

    Not any file: the same policy in another folder, with two files in each other's place, would be other data, and so
    would be two files of a pattern that have changed their names. The last `depth` parts of a path stay as they are.
    """
    name = Path(file.path).parts[-depth:] if depth else ()
    candidates = [
        other
        for other in recorded.files
        if other.content
        and (other.path == file.path or set(file.tables) <= set(other.tables))
        and (not depth or Path(other.path).parts[-depth:] == name)
    ]
    content = content_of(file, recorded.key) if candidates else ""
    return next((other for other in candidates if other.content == content), None)


def _digested(policy: Policy, sources: Sources) -> Sources:
    """The sources with digests of what is in them. Raises PolicyError; OperationalError where they change meanwhile."""
    key = Coins().random_bytes(_KEY_BYTES).hex()
    digested = _reading(policy, lambda: with_contents(sources, key))
    _require_still(policy, sources)
    return digested


def _reading(policy: Policy, work: Callable[[], T]) -> T:
    try:
        return work()
    except OSError as error:
        raise _mistake(policy, f"{error.filename} cannot be read: {error.strerror}") from None


def _require_still(policy: Policy, sources: Sources) -> None:
    if sources_of(policy) != sources:
        raise OperationalError("the data is being changed; try again")


def _mistake(policy: Policy, message: str) -> PolicyError:
    return PolicyError((Problem(str(policy.path), None, "", message),))
