"""What the tables about the system are made of."""

from __future__ import annotations

from dpsql.accounting.ledger.ledger import Ledger
from dpsql.accounting.types import Request
from dpsql.algebra.catalog import Catalog
from dpsql.algebra.system_tables import CATALOG
from dpsql.engines.base import PublicEngine
from dpsql.slotted import dataclass


@dataclass(frozen=True, slots=True)
class Client:
    """A session: the name by which it knows the database, and for one of the server its number and its encryption."""

    database: str = CATALOG
    process_id: int = 0
    encrypted: bool = False


@dataclass(frozen=True, slots=True)
class SystemContext:
    """The policy's tables and what is public about them, and the analyst's own account in the ledger.

    `unit` is the table and column that identify a unit, as the policy names them, `client` the session that asks, by
    whose name for it the catalogs call the database that all tables are in.
    """

    catalog: Catalog
    public: PublicEngine
    unit: str
    ledger: Ledger
    request: Request
    client: Client = Client()
