"""From a policy's file to a frozen Policy, or to every mistake in it at once."""

from __future__ import annotations

import os
from pathlib import Path

from dpsql.errors import PolicyError
from dpsql.policy.digest import digest
from dpsql.policy.findings import Findings, Spot
from dpsql.policy.model import AccountantName, Budget, Dataset, Isolation, Policy, Role
from dpsql.policy.readings import accountant as read_accountant
from dpsql.policy.rules.budgets import read_analysts, read_dataset, read_default, read_roles
from dpsql.policy.rules.calibrated import read_calibrated
from dpsql.policy.rules.engine import read_admin_log, read_engine
from dpsql.policy.rules.tables import read_privacy, read_tables
from dpsql.policy.shapes import check_shape
from dpsql.policy.yaml_positions import Mapping, entries, parse, read_text
from dpsql.privacy import FREE


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
    dataset, default, analysts, roles = _budgets(tree, accountant, spot)
    if privacy is None:
        return None
    identity = digest(privacy, tables, sources, accountant)
    engine = read_engine(tree, path.parent, spot, isolation)
    log = read_admin_log(tree, path.parent, spot)
    calibrated = read_calibrated(tree, spot)
    accounts = dataset, default, analysts, accountant
    return Policy(path, identity, privacy, tables, *accounts, engine, log, roles, calibrated)


def _accountant(tree: Mapping) -> AccountantName:
    entry = tree.get("accountant")
    try:
        return read_accountant(entry.value) if entry else AccountantName.APPROX
    except ValueError:  # reported with the shapes
        return AccountantName.APPROX


def _budgets(
    tree: Mapping, accountant: AccountantName, spot: Spot
) -> tuple[Dataset, Budget | None, tuple[tuple[str, Budget], ...], tuple[Role, ...]]:
    entry = tree.get("budgets")
    if entry is None or not isinstance(entry.value, Mapping):
        return Dataset(FREE), None, (), ()
    inside = spot.under("budgets")
    listed, roles = entries(entry.value, "analysts"), entries(entry.value, "roles")
    if not listed and not roles and entry.value.get("default") is None:
        inside.add("nobody may ask anything: give `default`, `analysts`, or both")
    return (
        read_dataset(entry.value, accountant, inside),
        read_default(entry.value, accountant, inside),
        read_analysts(listed, accountant, inside.under("analysts")),
        read_roles(roles, accountant, inside.under("roles")),
    )
