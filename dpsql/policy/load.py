"""From a policy's file to a frozen Policy, or to every mistake in it at once."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from dpsql.errors import PolicyError
from dpsql.policy.digest import digest
from dpsql.policy.findings import Findings, Spot
from dpsql.policy.model import AccountantName, Budget, Dataset, Isolation, Policy, Role, UnknownAnalysts
from dpsql.policy.readings import accountant as read_accountant
from dpsql.policy.readings import unknown_analysts as read_unknown_analysts
from dpsql.policy.rules.budgets import read_analysts, read_dataset, read_default, read_roles
from dpsql.policy.rules.calibrated import read_calibrated
from dpsql.policy.rules.engine import read_admin_log, read_engine
from dpsql.policy.rules.shape_check import check_shape
from dpsql.policy.rules.sources import copy_of
from dpsql.policy.rules.tables import read_privacy, read_tables
from dpsql.policy.yaml_positions import Mapping, entries, parse, read_text
from dpsql.privacy import FREE
from dpsql.slotted import dataclass


def load_policy(path: str | Path, isolation: Isolation = Isolation.INLINE) -> Policy:
    """The policy in that YAML file; `isolation` is where engines run if it does not say so.

    Mistakes of writing, of shape and across keys are looked for in one go, the last in every part whose shape
    is right. Raises PolicyError with all of them. Whether sources exist and declared facts hold is not asked.
    """
    file = Path(path)
    tree, unreadable = parse(read_text(file), file)
    findings = Findings(str(file), tree, unreadable)
    spot = Spot(findings)
    check_shape(tree, spot)
    policy = _read(tree, Path(os.path.abspath(file)), spot, isolation)
    problems = findings.problems()
    if problems or policy is None:
        raise PolicyError(problems)
    return policy


def _read(tree: Mapping, path: Path, spot: Spot, isolation: Isolation) -> Policy | None:
    """The policy, as far as its parts are right; None without a privacy part."""
    privacy, unit = read_privacy(tree, spot)
    tables, sources = read_tables(tree, unit, path.parent, spot)
    accountant = _accountant(tree)
    granted = _budgets(tree, accountant, spot)
    if privacy is None:
        return None
    identity = digest(privacy, tables, sources, accountant)
    engine = read_engine(tree, path.parent, spot, isolation)
    tables = tuple(replace(t, source=copy_of(t.source, path, engine.prepared)) for t in tables)
    log = read_admin_log(tree, path.parent, spot)
    calibrated = read_calibrated(tree, spot)
    accounts = granted.dataset, granted.default, granted.analysts, accountant
    return Policy(
        *(path, identity, privacy, tables, *accounts, engine, log, granted.roles, calibrated),
        revoked=granted.revoked,
        unknown_analysts=granted.unknown_analysts,
    )


def _accountant(tree: Mapping) -> AccountantName:
    entry = tree.get("accountant")
    try:
        return read_accountant(entry.value) if entry else AccountantName.APPROX
    except ValueError:  # reported with the shapes
        return AccountantName.APPROX


@dataclass(frozen=True, slots=True)
class _Budgets:
    """What a policy's `budgets` says."""

    dataset: Dataset
    default: Budget | None = None
    analysts: tuple[tuple[str, Budget], ...] = ()
    revoked: tuple[str, ...] = ()
    roles: tuple[Role, ...] = ()
    unknown_analysts: UnknownAnalysts | None = None


def _budgets(tree: Mapping, accountant: AccountantName, spot: Spot) -> _Budgets:
    entry = tree.get("budgets")
    if entry is None or not isinstance(entry.value, Mapping):
        return _Budgets(Dataset(FREE))
    inside = spot.under("budgets")
    listed, roles = entries(entry.value, "analysts"), entries(entry.value, "roles")
    unknown = _unknown_analysts(entry.value)
    if not listed and not roles:
        _check_anybody(entry.value, unknown, inside)
    default = read_default(entry.value, accountant, inside)
    analysts, revoked = read_analysts(entry.value, listed, default, accountant, inside.under("analysts"))
    return _Budgets(
        read_dataset(entry.value, accountant, inside),
        default,
        analysts,
        revoked,
        read_roles(roles, accountant, inside.under("roles")),
        unknown,
    )


def _check_anybody(budgets: Mapping, unknown: UnknownAnalysts | None, spot: Spot) -> None:
    """Reports budgets that are nobody's, where none is named."""
    if budgets.get("default") is None:
        spot.add("nobody may ask anything: give `default`, `analysts`, or both")
    elif unknown is UnknownAnalysts.REFUSE and budgets.get("analysts") is None:
        spot.add(
            "nobody may ask anything: name the analysts under `analysts`, as `alice: {}` for the default's budget"
        )


def _unknown_analysts(budgets: Mapping) -> UnknownAnalysts | None:
    entry = budgets.get("unknown_analysts")
    try:
        return read_unknown_analysts(entry.value) if entry else None
    except ValueError:  # reported with the shapes
        return None
