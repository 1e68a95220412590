"""Where in the policy's file a mistake stands that was found in the data: the line of the key that it is about."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from dpsql.errors import Place, PolicyError, Problem
from dpsql.policy.scalars import Leaf
from dpsql.policy.yaml_positions import KeyPath, Mapping, Node, parse, path_text, read_text


@contextmanager
def placed(policy: Path, name: Path) -> Iterator[None]:
    """A block whose PolicyErrors about this policy say the line and the column, where they did not.

    They call the policy by that name: as the admin wrote its path.
    """
    try:
        yield
    except PolicyError as error:
        problems = with_places(error.problems, policy)
    else:
        return
    about = str(policy)
    raise PolicyError(tuple(replace(p, file=str(name)) if p.file == about else p for p in problems))


def with_places(problems: tuple[Problem, ...], policy: Path) -> tuple[Problem, ...]:
    """The problems, each at its key, or at the nearest part around it that the policy has."""
    try:
        tree, _ = parse(read_text(policy), policy)
    except PolicyError:  # changed since it was loaded
        return problems
    places = dict(_places(tree, ()))
    about = str(policy)
    return tuple(replace(p, place=_place(p, places)) if p.file == about else p for p in problems)


def _place(problem: Problem, places: dict[str, Place]) -> Place | None:
    if problem.place is not None:
        return problem.place
    path = problem.path
    while path and path not in places:
        path = path.rpartition(".")[0]
    return places.get(path)


def _places(node: Node, path: KeyPath) -> Iterator[tuple[str, Place]]:
    """Every key's path, as messages write it and plainly, and where its scalar or else the key itself stands."""
    for entry in node.entries if isinstance(node, Mapping) else ():
        below = (*path, entry.key)
        scalar = isinstance(entry.value, Leaf) and bool(entry.value.text)
        for written in (path_text(below), ".".join(below)):
            yield written, entry.value.place if scalar else entry.place
        yield from _places(entry.value, below)
