"""A real PostgreSQL for tests, from the Python package that carries its programs."""
