"""Where a field of JSON text is: the names of objects that lead to it, as a policy or a query writes them.

`sensor.name` and `$.sensor.name` are the field `name` of the object `sensor`. A name that is no plain word stands in
double quotes, as in `$."sensor name".unit`. Elements of arrays and patterns of names lead to no declared field.
"""

from __future__ import annotations

import re

from dpsql.policy.names import name_mistake

MOST_STEPS = 20
_LONGEST_STEP = 200
_STEP = re.compile(r'\.(?:"(?P<quoted>[^"]*)"|(?P<plain>[^.\[\]"*]+))')
# Names that mean more than themselves in a path of DuckDB, or in an arrow's text.
_UNREADABLE = frozenset('"\\*')
_FIRST = ("$", "/")

Steps = tuple[str, ...]


def declared_steps(text: str) -> Steps:
    """The names that a key of `fields` is made of. Raises ValueError with what would be right."""
    steps = steps_of_path(text if text.startswith("$") else f"$.{text}")
    if steps is None:
        raise ValueError('a field is written as names with dots, as in sensor.name or $."sensor name".unit')
    if len(steps) > MOST_STEPS:
        raise ValueError(f"a field lies at most {MOST_STEPS} objects deep")
    for step in steps:
        if message := _mistake(step):
            raise ValueError(message)
    return steps


def _mistake(step: str) -> str | None:
    if message := name_mistake(step):
        return message
    if len(step) > _LONGEST_STEP:
        return f"a name in a field has at most {_LONGEST_STEP} characters"
    if step.startswith(_FIRST) or _UNREADABLE & set(step):
        return 'a name in a field holds none of " \\ * and begins with neither $ nor /'
    return None


def steps_of_path(path: str) -> Steps | None:
    """The names of a path that begins with $; None for one with anything else in it, and for $ alone."""
    steps, at = [], 1
    while at < len(path):
        step = _STEP.match(path, at)
        if step is None:
            return None
        steps.append(step["plain"] if step["quoted"] is None else step["quoted"])
        at = step.end()
    return tuple(steps) or None


def arrow_text(column: str, steps: Steps) -> str:
    """A field of a column as a query writes it, `pl->'sensor'->>'name'`: its name among a table's columns."""
    keys = ["'" + step.replace("'", "''") + "'" for step in steps]
    return f"{column}{''.join(f'->{key}' for key in keys[:-1])}->>{keys[-1]}"


def quoted_path(steps: Steps) -> str:
    """The path as DuckDB reads it: each name stands for itself alone."""
    return "$" + "".join(f'."{step}"' for step in steps)
