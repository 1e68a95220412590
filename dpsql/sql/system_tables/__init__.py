"""The system catalogs that clients of PostgreSQL and DuckDB ask: made of the policy and the analyst's name alone."""
