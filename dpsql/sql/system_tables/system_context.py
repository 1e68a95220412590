"""What the tables about the system are made of."""

from __future__ import annotations

from dpsql.accounting.ledger.ledger import Ledger
from dpsql.accounting.types import Request
from dpsql.algebra.catalog import Catalog
from dpsql.algebra.system_tables import CATALOG
from dpsql.engines.base import PublicEngine
from dpsql.slotted import dataclass


@dataclass(frozen=True, slots=True)
class SystemContext:
    """The policy's tables and what is public about them, and the analyst's own account in the ledger.

    `unit` is the table and column that identify a unit, as the policy names them, `database` the name of the database
    that all tables are in.
    """

    catalog: Catalog
    public: PublicEngine
    unit: str
    ledger: Ledger
    request: Request
    database: str = CATALOG
