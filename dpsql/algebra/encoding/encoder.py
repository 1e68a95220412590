"""Values as text by an explicit table, so that no name of the code is part of what is stored: version 1 of the text.

A class is written as `Name(field=value, ...)`, a member of an enumeration as `<Name.MEMBER: 'value'>`, with the names
that the table says. None, numbers, text, tuples, fractions and dates are written as Python writes them. This is what
`repr` made of the same values when keys were first stored, byte for byte.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from datetime import date, datetime
from enum import Enum
from fractions import Fraction
from itertools import chain
from operator import attrgetter
from types import MappingProxyType, NoneType
from typing import Any, Final

from dpsql.errors import InternalError
from dpsql.slotted import dataclass

# A member of an enumeration where no quoted text stands: quoted pieces match first, as they are.
_MEMBER: Final = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|<(\w+\.\w+): '[^']*'>")
_BY_PYTHON: Final = frozenset({NoneType, bool, int, float, str, date, datetime})
_CALLS: Final[Mapping[str, Callable[..., object]]] = MappingProxyType(
    {"Fraction": Fraction, "datetime.date": date, "datetime.datetime": datetime}
)
# Longer tuples are written by Python as a whole where it can write all that they hold.
_FEW: Final = 8
_Writer = Callable[[Any], str]


class Unreadable(Exception):
    """The text is not that of a value of the table."""


@dataclass(frozen=True, slots=True)
class Field:
    """An attribute, the name it is written under, and, for one that came later, the text at which it is left out.

    That text is its default's: what does not use the field is written as it was before there was one.
    """

    attribute: str
    name: str
    left_out: str | None = None


@dataclass(frozen=True, slots=True)
class Form:
    """How the values of a class are written: its name and its fields, in order.

    A field is given as text where its name is the attribute's. `unwritten` are the attributes that are no part of a
    value's identity.
    """

    name: str
    given: tuple[str | Field, ...]
    unwritten: tuple[str, ...] = ()

    @property
    def fields(self) -> tuple[Field, ...]:
        """Every field, in the order of the text."""
        return tuple(Field(f, f) if isinstance(f, str) else f for f in self.given)


@dataclass(frozen=True, slots=True)
class Members:
    """How the members of an enumeration are written: its name, and the name and value of each, as in `ROW: 'row'`."""

    name: str
    texts: Mapping[Enum, str]


Forms = Mapping[type, Form | Members]


class _Known(dict[Any, Any]):
    """What has a written form; InternalError for anything else."""

    __slots__ = ()

    def __missing__(self, key: object) -> Any:
        raise InternalError(f"there is no written form for {key!r}")


@dataclass(frozen=True, slots=True)
class Encoding:
    """The texts of the values of a table's classes, and the values of such texts.

    Equal texts are those of equal values of the same types. Only the very classes of the table are written, none that
    is derived from them: InternalError for any other.
    """

    forms: Forms
    _writers: Mapping[type, _Writer] = field(init=False, repr=False, compare=False)
    _calls: Mapping[str, Callable[..., object]] = field(init=False, repr=False, compare=False)
    _members: Mapping[str, Enum] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_writers", _writers_of(self.forms))
        object.__setattr__(self, "_calls", _calls_of(self.forms))
        object.__setattr__(self, "_members", _members_of(self.forms))

    def text(self, value: object) -> str:
        """The text of a value. InternalError for a class or a member that is not in the table."""
        return self._writers[type(value)](value)

    def beginning(self, kind: type, *known: object) -> str:
        """What the texts of all values of a class begin with that have these first fields."""
        form = self.forms[kind]
        assert isinstance(form, Form), "members of an enumeration have no fields"
        names = [f if isinstance(f, str) else f.name for f in form.given]
        first = "".join(f"{n}={self.text(v)}, " for n, v in zip(names, known, strict=False))
        return f"{form.name}({first}{names[len(known)]}="

    def items(self, text: str) -> Iterator[object]:
        """The values of a tuple's text, each read when it is asked for. Unreadable for any other text."""
        try:
            tree = ast.parse(_MEMBER.sub(lambda m: m.group(1) or m.group(0), text), mode="eval").body
        except (SyntaxError, ValueError, MemoryError, RecursionError):
            raise Unreadable from None
        if not isinstance(tree, ast.Tuple):
            raise Unreadable
        try:
            for node in tree.elts:
                yield _value(node, self._calls, self._members)
        except (ValueError, TypeError, KeyError, ArithmeticError, RecursionError):
            raise Unreadable from None


def _writers_of(forms: Forms) -> Mapping[type, _Writer]:
    writers: dict[Any, Any] = _Known(dict.fromkeys(_BY_PYTHON, repr))
    writers[Fraction] = _fraction
    writers[tuple] = _tuple_writer(writers)
    for kind, form in forms.items():
        if isinstance(form, Members):
            writers[kind] = _Known({m: f"<{form.name}.{t}>" for m, t in form.texts.items()}).__getitem__
        elif any(f.left_out is not None for f in form.fields):
            writers[kind] = _writer_of_some(form, writers)
        else:
            writers[kind] = _writer_of_all(form, writers)
    return writers


def _fraction(value: Fraction) -> str:
    return f"Fraction({value.numerator}, {value.denominator})"


def _tuple_writer(writers: Mapping[type, _Writer]) -> _Writer:
    def write(value: tuple[object, ...]) -> str:
        if len(value) > _FEW and _is_plain(value):
            return repr(value)
        inner = ", ".join([writers[type(v)](v) for v in value])
        return f"({inner},)" if len(value) == 1 else f"({inner})"

    return write


def _is_plain(value: tuple[Any, ...]) -> bool:
    """Whether Python writes all that a tuple, or each tuple in it, holds: the groups of a release may be a million."""
    kinds = set(map(type, value))
    return _BY_PYTHON.issuperset(set(map(type, chain.from_iterable(value))) if kinds == {tuple} else kinds)


def _writer_of_all(form: Form, writers: Mapping[type, _Writer]) -> _Writer:
    """A writer for a class of which every field is written."""
    values = _values_of(form)
    template = f"{form.name}({', '.join(f'{f.name}=%s' for f in form.fields)})"

    def write(value: object) -> str:
        return template % tuple([writers[type(v)](v) for v in values(value)])

    return write


def _writer_of_some(form: Form, writers: Mapping[type, _Writer]) -> _Writer:
    """A writer for a class with fields that are left out at a text."""
    values, fields = _values_of(form), form.fields

    def write(value: object) -> str:
        texts = [writers[type(v)](v) for v in values(value)]
        pairs = [f"{f.name}={t}" for f, t in zip(fields, texts, strict=True) if t != f.left_out]
        return f"{form.name}({', '.join(pairs)})"

    return write


def _values_of(form: Form) -> Callable[[object], tuple[object, ...]]:
    get = attrgetter(*(f.attribute for f in form.fields))
    return get if len(form.given) > 1 else lambda value: (get(value),)


def _calls_of(forms: Forms) -> dict[str, Callable[..., object]]:
    """What the names in front of parentheses make of what is inside."""
    makers = {form.name: _maker(kind, form) for kind, form in forms.items() if isinstance(form, Form)}
    return {**makers, **_CALLS}


def _maker(kind: Callable[..., object], form: Form) -> Callable[..., object]:
    attributes = {f.name: f.attribute for f in form.fields}
    return lambda **named: kind(**{attributes[name]: value for name, value in named.items()})


def _members_of(forms: Forms) -> dict[str, Enum]:
    named = (
        (form, m, t) for form in forms.values() if isinstance(form, Members) for m, t in form.texts.items()
    )
    return {f"{form.name}.{text.partition(':')[0]}": member for form, member, text in named}


def _value(node: ast.expr, calls: Mapping[str, Callable[..., object]], members: Mapping[str, Enum]) -> object:
    match node:
        case ast.Constant():
            return node.value
        case ast.Tuple():
            return tuple(_value(n, calls, members) for n in node.elts)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
            return -number
        case ast.Attribute(value=ast.Name()):
            return members[ast.unparse(node)]
        case ast.Call(func=function, args=args, keywords=named):
            given = {k.arg: _value(k.value, calls, members) for k in named if k.arg is not None}
            return calls[ast.unparse(function)](*(_value(a, calls, members) for a in args), **given)
    raise Unreadable
