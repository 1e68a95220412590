"""Defects of the dataclasses that are compiled late."""

from __future__ import annotations

from mutants.mutant import one

_FILE = "dpsql/slotted.py"
_TESTS = ("tests/test_dataclasses.py",)

MUTANTS = (
    one(
        "a field that is not compared is",
        _FILE,
        "[f.name for f in fields if f.compare]",
        "[f.name for f in fields]",
        _TESTS,
    ),
    one(
        "a field that is not hashed is",
        _FILE,
        "(f.compare if f.hash is None else f.hash)",
        "f.compare",
        _TESTS,
    ),
    one(
        "a child equals its parent",
        _FILE,
        "if other.__class__ is not self.__class__:",
        "if not isinstance(other, type(self)) and not isinstance(self, type(other)):",
        _TESTS,
    ),
    one(
        "one list for all",
        _FILE,
        'names[f"_new{n}"] = field.default_factory',
        'names[f"_new{n}"] = lambda made=[]: made',
        _TESTS,
    ),
    one("nothing is frozen", _FILE, "        methods |= _FROZEN\n", "        pass\n", _TESTS),
    one("what a class writes itself is lost", _FILE, "if name not in plain.__dict__:", "if name:", _TESTS),
    one("each instance is compiled anew", _FILE, "made.__init__ = compiled = ", "compiled = ", _TESTS),
    one(
        "an instance of a class that is compared can be a key though it changes",
        _FILE,
        "_hash_of(hashed) if frozen else None",
        "_hash_of(hashed)",
        _TESTS,
    ),
    one("__post_init__ is not called", _FILE, 'hasattr(made, "__post_init__")', "False", _TESTS),
)
