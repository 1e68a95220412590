"""Who may log in: the users file, passwords and tokens."""
