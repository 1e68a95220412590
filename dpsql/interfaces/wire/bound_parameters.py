"""The parameters of a prepared statement: their types, and the values that a client gives for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dpsql.interfaces.wire.failures import Failure
from dpsql.interfaces.wire.portals import MOST_PARAMETERS
from dpsql.interfaces.wire.values.bound_values import UNKNOWN, engine_type, oid_of, oid_of_name, value_of
from dpsql.release.types import Description
from dpsql.sql.parse.client_statements import Constant
from dpsql.stages.arguments.call_arguments import Parameters


def declared_types(oids: tuple[int, ...]) -> dict[str, str]:
    """The types of parameters, by name, that a client declared."""
    return {str(i): engine_type(oid) for i, oid in enumerate(oids, 1) if oid not in UNKNOWN}


def parameter_oids(description: Description, declared: tuple[int, ...]) -> tuple[int, ...]:
    """The type of each parameter from $1 on: as the client declared it, or else by the statement.

    Raises Failure for names that are no numbers, and where one that is not in the text has no declared type.
    """
    kinds = dict(description.parameters)
    if any(not name.isdecimal() for name in kinds):
        raise Failure("42601", "parameters are written as $1, $2, ... here")
    count = max([len(declared), *map(int, kinds)])
    if count > MOST_PARAMETERS:
        raise Failure("54000", f"a statement has at most {MOST_PARAMETERS} parameters")
    oids = []
    for i in range(1, count + 1):
        oid = declared[i - 1] if i <= len(declared) else 0
        if oid in UNKNOWN and str(i) not in kinds:
            raise Failure("42P18", f"the type of the parameter ${i} cannot be known: it is not in the text")
        oids.append(oid_of(kinds[str(i)]) if oid in UNKNOWN else oid)
    return tuple(oids)


def values_of(
    sent: Sequence[tuple[bytes | None, int]], oids: Sequence[int], description: Description
) -> Parameters | None:
    """The values of the parameters in a statement's text, each sent as bytes in a format. Raises Failure."""
    read = {
        str(i): None if data is None else value_of(data, form, oid)
        for i, ((data, form), oid) in enumerate(zip(sent, oids, strict=True), 1)
    }
    return _in_text(read, description)


def constants_of(
    constants: Sequence[Constant], oids: Sequence[int], description: Description
) -> Parameters | None:
    """The values that EXECUTE gives, each read as one of its parameter's type. Raises Failure."""
    read: dict[str, object] = {}
    for i, (constant, oid) in enumerate(zip(constants, oids, strict=True), 1):
        if constant.type is not None and oid_of_name(constant.type) != oid:
            raise Failure(
                "42804",
                f"the value of ${i} is cast to another type than that of its parameter",
                "Leave the cast out, or declare the parameter with that type in PREPARE.",
            )
        read[str(i)] = None if constant.text is None else value_of(constant.text.encode(), 0, oid)
    return _in_text(read, description)


def _in_text(values: Mapping[str, object], description: Description) -> Parameters | None:
    named = {name: values[name] for name, _ in description.parameters}
    if not named:
        return None
    return tuple(named.values()) if description.positional else named
