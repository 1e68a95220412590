"""SQLAlchemy 1.4 and 2: `create_engine("dpsql:///policies/shop.yaml?analyst=alice")`."""

from dpsql.interfaces.sqlalchemy.dialect import DpsqlDialect

__all__ = ["DpsqlDialect"]
