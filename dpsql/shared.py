"""Connections that share engines: `dpsql.shared.connect`, as tools import it."""

from dpsql.interfaces.shared_connections import connect

__all__ = ["connect"]
