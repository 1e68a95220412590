"""Dataclasses as the standard library has them; those with slots take a tenth of the time to define.

`dataclasses` compiles up to six functions for each class as it is defined. A process makes instances of few of our
classes, and compiling was half of the time to the first connection. Here `__init__` is compiled when it is first
called, and the other methods are not compiled at all.
"""

from __future__ import annotations

import dataclasses
from dataclasses import MISSING, FrozenInstanceError
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any, Final, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable
    from dataclasses import dataclass as dataclass

    Field = dataclasses.Field[Any]
else:

    def dataclass(*, slots: bool, **options: bool) -> Callable[[type], type]:
        """`dataclasses.dataclass` for classes with slots; of other options it knows `frozen`, `eq` and `repr`."""
        if not slots:
            raise TypeError("a class without slots is made by `dataclasses.dataclass`")
        return lambda plain: _with_slots(plain, **options)


_NOT_GIVEN: Final = object()


def _with_slots(plain: type, *, frozen: bool = False, eq: bool = True, repr: bool = True) -> type:
    made: type = dataclasses.dataclass(init=False, repr=False, eq=False, slots=True)(plain)
    fields = dataclasses.fields(made)
    methods: dict[str, Any] = {"__init__": _init_of(made, fields, frozen)}
    if repr:
        methods["__repr__"] = _repr
    if eq:
        methods["__eq__"] = _eq_of([f.name for f in fields if f.compare])
        hashed = [f.name for f in fields if (f.compare if f.hash is None else f.hash)]
        methods["__hash__"] = _hash_of(hashed) if frozen else None
    if frozen:
        methods |= _FROZEN
    for name, method in methods.items():
        if name not in plain.__dict__:
            setattr(made, name, method)
    return made


def _init_of(made: type, fields: tuple[Field, ...], frozen: bool) -> Callable[..., None]:
    """The method that compiles the one in whose place it stands, and calls it."""

    def __init__(self: object, *args: object, **kwargs: object) -> None:
        made.__init__ = compiled = _compiled_init(made, fields, frozen)  # type: ignore[misc]
        compiled(self, *args, **kwargs)

    return __init__


def _compiled_init(made: type, fields: tuple[Field, ...], frozen: bool) -> Callable[..., None]:
    """Sets each field; one that is frozen by its slot, which does not meet the `__setattr__` that refuses."""
    names: dict[str, Any] = {"_not_given": _NOT_GIVEN}
    parameters, lines = ["self"], ["pass"]
    for n, field in enumerate(fields):
        names |= {f"_set{n}": getattr(made, field.name).__set__, f"_default{n}": field.default}
        names[f"_new{n}"] = field.default_factory
        parameter, value = _assigned(field, n)
        parameters += [parameter] if field.init else []
        line = f"_set{n}(self, {value})" if frozen else f"self.{field.name} = {value}"
        lines += [line] if value else []
    lines += ["self.__post_init__()"] if hasattr(made, "__post_init__") else []
    exec(f"def __init__({', '.join(parameters)}):\n " + "\n ".join(lines), names)
    method: Callable[..., None] = names["__init__"]
    method.__qualname__ = f"{made.__qualname__}.__init__"
    return method


def _assigned(field: Field, n: int) -> tuple[str, str]:
    """A field's parameter, and the value that its slot is set to."""
    if field.default_factory is not MISSING:
        given = f"_new{n}() if {field.name} is _not_given else {field.name}"
        return f"{field.name}=_not_given", given if field.init else f"_new{n}()"
    if field.default is not MISSING:
        return f"{field.name}=_default{n}", field.name if field.init else f"_default{n}"
    return field.name, field.name if field.init else ""


@recursive_repr()
def _repr(self: Any) -> str:
    shown = ", ".join(f"{f.name}={getattr(self, f.name)!r}" for f in dataclasses.fields(self) if f.repr)
    return f"{type(self).__qualname__}({shown})"


def _eq_of(names: list[str]) -> Callable[[object, object], bool]:
    compared = _values_of(names)

    def __eq__(self: object, other: object) -> bool:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return compared(self) == compared(other)

    return __eq__


def _hash_of(names: list[str]) -> Callable[[object], int]:
    hashed = _values_of(names)

    def __hash__(self: object) -> int:
        return hash(hashed(self))

    return __hash__


def _values_of(names: list[str]) -> Callable[[object], object]:
    return attrgetter(*names) if names else lambda value: ()


def _getstate(self: Any) -> list[object]:
    return [getattr(self, field.name) for field in dataclasses.fields(self)]


def _setstate(self: Any, state: list[object]) -> None:
    for field, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, field.name, value)


def _refuse_to_set(self: object, name: str, value: object) -> NoReturn:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(self: object, name: str) -> NoReturn:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


_FROZEN: Final = {
    "__getstate__": _getstate,
    "__setstate__": _setstate,
    "__setattr__": _refuse_to_set,
    "__delattr__": _refuse_to_delete,
}
