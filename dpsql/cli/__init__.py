"""The command line: queries and plans for analysts, checks and skeletons of policies for admins."""

from dpsql.cli.app import main

__all__ = ["main"]
