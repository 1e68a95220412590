"""Whether prepared tables are what the sources would be read as; where they are not, the sources are read."""

from __future__ import annotations

from pathlib import Path

from dpsql.accounting.ledger.recorded_sources import Sources
from dpsql.algebra.system_tables import VERSION
from dpsql.engines.prepared.folder import PreparedFolder
from dpsql.engines.prepared.manifest import FORMAT, Manifest, PreparedFile
from dpsql.policy.model import Policy
from dpsql.slotted import dataclass


@dataclass(frozen=True, slots=True)
class Unfit:
    """Why prepared tables are not read, as a sentence for the admin."""

    reason: str


def fitting(policy: Policy, folder: Path, sources: Sources) -> PreparedFile | Unfit:
    """The tables that were prepared in a folder from these sources, under this policy and by this dpsql."""
    place = PreparedFolder.of(policy, folder)
    try:
        manifest = place.read()
    except FileNotFoundError:
        return Unfit(f"nothing of this policy is prepared in {folder}")
    except OSError as error:
        return Unfit(f"{place.manifest} cannot be read: {error.strerror}")
    except (ValueError, KeyError, TypeError, AttributeError):
        return Unfit(f"{place.manifest} is not a manifest of this version's format")
    reason = _difference(manifest, policy, sources) or place.mistake(manifest)
    if reason is not None:
        return Unfit(reason)
    return PreparedFile(folder / manifest.file, manifest.mark, manifest.tables, manifest.lists)


def _difference(manifest: Manifest, policy: Policy, sources: Sources) -> str | None:
    if manifest.format != FORMAT:
        return f"they were written in format {manifest.format}, and {FORMAT} is read"
    if manifest.dpsql != VERSION:
        return f"they were written by dpsql {manifest.dpsql}, and this is {VERSION}"
    if manifest.policy != policy.digest:
        return "the policy has changed since they were written"
    if manifest.sources != sources:
        changes = sources.changes(manifest.sources) or ("the sources have changed",)
        return f"since they were written, {'; '.join(changes)}"
    return None
