"""Statements that read the system catalogs alone, as clients of PostgreSQL and DuckDB write them."""
