"""YAML to a frozen Policy: who is protected, what may be asked, how much may be spent."""

from dpsql.policy.load import load_policy
from dpsql.policy.model import (
    AccountantName,
    Budget,
    Column,
    ColumnType,
    EngineLimits,
    Isolation,
    Policy,
    Privacy,
    Scalar,
    Source,
    SourceKind,
    Table,
)

__all__ = [
    "AccountantName",
    "Budget",
    "Column",
    "ColumnType",
    "EngineLimits",
    "Isolation",
    "Policy",
    "Privacy",
    "Scalar",
    "Source",
    "SourceKind",
    "Table",
    "load_policy",
]
