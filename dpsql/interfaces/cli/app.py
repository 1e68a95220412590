"""The `dpsql` command. A command's module is imported when it is run, or looked at: help and completion need none."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from importlib import import_module
from types import MappingProxyType

import click
from click.shell_completion import CompletionItem

from dpsql import __version__
from dpsql.interfaces.cli.outcome import INTERRUPTED, show_interrupt

_HERE = "dpsql.interfaces.cli"
# Every command: the module it is in, its name there, and its help in one line.
_COMMANDS: Mapping[str, tuple[str, str, str]] = MappingProxyType(
    {
        "audit": ("audit", "audit_command", "Try to break the privacy that POLICY promises."),
        "budget": ("ask", "budget", "Show what the analyst was granted, has spent and has left."),
        "calibrate": ("calibrate_command", "calibrate", "Find limits for POLICY in the data, privately."),
        "check": ("admin", "check", "Check POLICY: every mistake, and what is worth a second look."),
        "demo": ("demo", "demo", "Play a short session on real data, beside the exact answers."),
        "explain": ("ask", "explain", "Show what SQL would release, its cost and its error; free."),
        "history": (
            "own_files.history_command",
            "history",
            "Show the questions that you asked under POLICY.",
        ),
        "init": (
            "admin",
            "init",
            "Write a policy to fill in, for DuckDB, SQLite, Parquet, CSV or JSON files.",
        ),
        "ledger": ("ledger_commands", "ledger", "Verify, export, read or back up a ledger; for admins."),
        "mock": ("tools_of_admins.mock_command", "mock", "Write made-up rows on which POLICY runs."),
        "prepare": (
            "tools_of_admins.prepare_command",
            "prepare",
            "Copy the private tables of POLICY, to be queried faster.",
        ),
        "query": ("ask", "query", "Answer SQL under POLICY and charge the analyst's budget."),
        "refresh": ("admin", "refresh", "Record that the data behind POLICY has changed."),
        "serve": ("serve", "serve", "Serve POLICIES to PostgreSQL clients."),
        "shell": (
            "shell.shell_command",
            "shell",
            "Ask one query after another; \\help inside lists the commands.",
        ),
        "user": ("user", "user", "Say who may log in to `dpsql serve`."),
    }
)


@contextmanager
def _kept_for_good() -> Iterator[None]:
    """What is made inside stays until the process ends: Python does not look for what of it is garbage, nor at the end.

    Looking takes a third of the time of a short command.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


class _Commands(MutableMapping[str, click.Command]):
    """The commands by name, each imported when it is first looked up."""

    def __init__(self) -> None:
        self._known: dict[str, click.Command | None] = dict.fromkeys(_COMMANDS)

    def __getitem__(self, name: str) -> click.Command:
        command = self._known[name]
        if command is None:
            module, attribute, _ = _COMMANDS[name]
            with _kept_for_good():
                command = getattr(import_module(f"{_HERE}.{module}"), attribute)
            assert isinstance(command, click.Command)
            self._known[name] = command
        return command

    def __setitem__(self, name: str, command: click.Command) -> None:
        self._known[name] = command

    def __delitem__(self, name: str) -> None:
        del self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)


class _Group(click.Group):
    """A group that lists its commands from the table above, without importing them."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The help's list of commands."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, _short(name)) for name in self.list_commands(ctx)])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """What a shell offers in the place of a command."""
        fitting = (name for name in self.list_commands(ctx) if name.startswith(incomplete))
        options = click.Command.shell_complete(self, ctx, incomplete)
        return [*(CompletionItem(name, help=_short(name)) for name in fitting), *options]

    def invoke(self, ctx: click.Context) -> object:
        """Runs the command; Ctrl-C where it says nothing of it itself, as while it is imported, charged nothing."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as interrupt:
            show_interrupt(interrupt)
            ctx.exit(INTERRUPTED)


def _short(name: str) -> str:
    return _COMMANDS[name][2]


@click.group(cls=_Group, commands=_Commands(), context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="dpsql %(version)s")
def main() -> None:
    """Ordinary SQL on private data, answered with differential privacy.

    A policy says who is protected, what may be asked, and how much each analyst may learn. Start with
    `dpsql demo`, or with `dpsql init` on data of your own.

    Exit codes: 0 answered; 1 the query or the policy is refused; 2 wrong usage; 3 the budget does not cover
    the query; 4 it failed, or the ledger cannot be used; 130 it was interrupted.
    """
