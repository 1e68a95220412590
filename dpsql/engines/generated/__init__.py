"""Sources that are written for audits, mock rows and tests: rows as files of every kind."""
