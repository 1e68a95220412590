"""The command line: queries and plans for analysts, checks and skeletons of policies for admins."""

from dpsql.interfaces.cli.app import main

__all__ = ["main"]
