"""What a session stands on: a policy's data, open in two engines and found to be as the policy declares."""

from __future__ import annotations

from contextlib import ExitStack, closing
from dataclasses import dataclass

from dpsql.accounting.ledger.recorded_sources import Sources
from dpsql.algebra.catalog import Catalog, catalog
from dpsql.engines.base import Engine, PublicEngine
from dpsql.engines.open_engines import open_engines
from dpsql.errors import OperationalError, PolicyError, Problem, Uncopyable
from dpsql.policy.model import Policy
from dpsql.stages.fingerprints import stamps
from dpsql.stages.state import Plans


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Ground(Uncopyable):
    """Engines, the tables that they have, and the plans made over them."""

    private: Engine
    public: PublicEngine
    tables: Catalog
    plans: Plans

    def close(self) -> None:
        """Gives both engines up."""
        with closing(self.private), closing(self.public):
            pass


def open_ground(policy: Policy, sources: Sources) -> Ground:
    """The ground of one session. Raises PolicyError where the data is not as the policy says, and OperationalError
    where it changes meanwhile: an engine may keep a file open that is another one by now."""
    before = stamps(policy)
    with ExitStack() as opened:
        engines = opened.enter_context(closing(open_engines(policy)))
        tables = catalog(policy, engines.public)
        if engines.private.violations(policy, tables.tables):
            problem = Problem(
                str(policy.path), None, "", "the data does not satisfy the policy; see `dpsql check`"
            )
            raise PolicyError((problem,))
        if stamps(policy) != before:
            raise OperationalError("the data is being changed; open a new connection")
        opened.pop_all()
    return Ground(engines.private, engines.public, tables, Plans())
