"""The server's processes: a listener with the logins, and a worker with the data."""
