"""The reference of the command line, made of the commands' own help: `python -m dpsql.interfaces.cli.reference`."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import click

from dpsql.interfaces.cli.app import main

_HEAD = "<!-- Made by `python -m dpsql.interfaces.cli.reference > docs/cli.md`. -->\n\n# The command line\n\n"


def reference() -> str:
    """The text of docs/cli.md: the group's help, then each command with its usage, help and options."""
    group = click.Context(main, info_name="dpsql")
    commands = list(_commands(main, group))
    listed = "".join(
        f"- [`dpsql {name}`](#dpsql-{name.replace(' ', '-')}): {command.get_short_help_str(200)}\n"
        for name, command in commands
    )
    return (
        _HEAD
        + _help(main)
        + "\n"
        + listed
        + "".join(_section(name, command, group) for name, command in commands)
    )


def _commands(
    of: click.Group, context: click.Context, before: str = ""
) -> Iterator[tuple[str, click.Command]]:
    """Every command with its full name, those of a group after it."""
    for name in of.list_commands(context):
        command = of.commands[name]
        yield f"{before}{name}", command
        if isinstance(command, click.Group):
            yield from _commands(command, click.Context(command, info_name=name, parent=context), f"{name} ")


def _section(name: str, command: click.Command, group: click.Context) -> str:
    context = click.Context(command, info_name=name, parent=group)
    usage = " ".join(command.collect_usage_pieces(context))
    records = [p.get_help_record(context) for p in command.params if isinstance(p, click.Option)]
    rows = "".join(f"| `{_escaped(option)}` | {_escaped(text)} |\n" for option, text in filter(None, records))
    options = f"\n| option | meaning |\n| --- | --- |\n{rows}" if rows else ""
    return f"\n## dpsql {name}\n\n```sh\ndpsql {name} {usage}\n```\n\n{_help(command)}{options}"


def _help(command: click.Command) -> str:
    """The help's paragraphs; those that click does not wrap become code blocks."""
    paragraphs = inspect.cleandoc(command.help or "").split("\n\n")
    return "\n".join(_paragraph(text) for text in paragraphs)


def _paragraph(text: str) -> str:
    if text.startswith("\b\n"):
        return f"```sh\n{text.removeprefix(chr(8) + chr(10))}\n```\n"
    return " ".join(text.split()) + "\n"


def _escaped(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    click.echo(reference(), nl=False)
