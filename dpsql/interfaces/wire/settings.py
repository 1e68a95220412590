"""The settings of a session: five of dpsql's own, and a fixed list of PostgreSQL's that change nothing.

Whatever else is set is refused: no setting is taken as if it had an effect.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from types import MappingProxyType
from typing import Final

from dpsql.interfaces.wire.channel import SessionSettings
from dpsql.interfaces.wire.failures import Failure
from dpsql.interfaces.wire.portals import LONGEST_NAME
from dpsql.slotted import dataclass
from dpsql.sql.parse.known_settings import KNOWN_SETTINGS, as_written, is_known_value, puts_public_first
from dpsql.sql.system_tables.pg_settings import setting, setting_rows

OWN: Final = ("epsilon", "rows", "accuracy", "clipping", "combine")
ALL: Final = "all"
"""What SHOW names for every setting."""
_REPORTED: Final = (
    "server_version", "server_encoding", "client_encoding", "application_name", "DateStyle", "IntervalStyle",
    "TimeZone", "integer_datetimes", "standard_conforming_strings", "is_superuser", "session_authorization",
    "default_transaction_read_only", "in_hot_standby",
)  # fmt: skip
_OF_TRANSACTION: Final = ("transaction_isolation", "transaction_read_only", "transaction_deferrable")
_ISO: Final = "iso_8601"
_LEVELS: Final = ("debug", "log", "notice", "warning", "error")


_OPTION: Final = re.compile(r"(?:-c\s*|--)([^\s=]+)=((?:\\.|[^\s\\])*)\s*")


@dataclass(frozen=True, slots=True)
class Settings:
    """What a session has set, by lower-case name; `fixed` are facts about the session that cannot be set.

    With `public_is_main` the schema public is another name of main, and may stand in its place in a search path.
    """

    given: Mapping[str, str] = field(default_factory=dict)
    defaults: Mapping[str, str] = field(default_factory=dict)
    fixed: Mapping[str, str] = field(default_factory=dict)
    public_is_main: bool = True
    own: SessionSettings = field(init=False, compare=False)
    """dpsql's own settings, which every statement needs."""

    def __post_init__(self) -> None:
        own = SessionSettings(*(self._value(f"dpsql.{name}") for name in OWN))
        object.__setattr__(self, "own", own)

    def set(self, name: str, value: str | None) -> Settings:
        """The settings with one changed; None gives it its default. Raises Failure for what is not known."""
        name = name.lower()
        if value is None:
            _check_name(name)
            return replace(self, given={n: v for n, v in self.given.items() if n != name})
        return replace(self, given={**self.given, name: _checked(name, value, self.public_is_main)})

    def with_all(self, values: Iterable[tuple[str, str]]) -> Settings:
        """The settings with several changed. Raises Failure."""
        settings = self
        for name, value in values:
            settings = settings.set(name, value)
        return settings

    def of_transaction(self) -> tuple[tuple[str, str], ...]:
        """What holds for one transaction alone."""
        return tuple((n, v) for n, v in self.given.items() if n in _OF_TRANSACTION)

    def after_transaction(self) -> Settings:
        """The settings without what holds for one transaction alone."""
        if self.given.keys().isdisjoint(_OF_TRANSACTION):
            return self
        return replace(self, given={n: v for n, v in self.given.items() if n not in _OF_TRANSACTION})

    def reset(self) -> Settings:
        """The settings as the session began."""
        return replace(self, given={})

    def show(self, name: str) -> str | None:
        """The value of a setting, or None for what is not a setting."""
        name = name.lower()
        if (value := self._value(name)) is not None:
            return value
        if name in _OF_TRANSACTION:
            return self.show(f"default_{name}")
        if name.startswith("dpsql.") and name.removeprefix("dpsql.") in OWN:
            return ""
        return setting(name) if setting(name) is not None else "" if name in KNOWN_SETTINGS else None

    def listed(self) -> tuple[tuple[str, str, str], ...]:
        """Every setting with its value and its description."""
        listed = sorted((str(row["name"]), str(row["short_desc"])) for row in setting_rows())
        return tuple((name, self.show(name) or "", said) for name, said in listed)

    def shows(self, level: str) -> bool:
        """Whether messages of a level (notice, warning) are sent."""
        least = re.sub(r"\d", "", (self.show("client_min_messages") or "notice").lower())
        return least not in _LEVELS or _LEVELS.index(level) >= _LEVELS.index(least)

    @property
    def iso_intervals(self) -> bool:
        """Whether intervals are written as in ISO 8601."""
        return (self.show("intervalstyle") or "").lower() == _ISO

    def reported(self) -> dict[str, str]:
        """What clients are told at the beginning, and again when it changes."""
        return {name: self.show(name) or "" for name in _REPORTED}

    def _value(self, name: str) -> str | None:
        for known in (self.fixed, self.given, self.defaults):
            if name in known:
                return known[name]
        return None


def opened_settings(
    parameters: Mapping[str, str], fixed: Mapping[str, str], public_is_main: bool = True
) -> Settings:
    """The settings that a start-up packet asks for, which are the session's defaults. Raises Failure."""
    asked = {n: v for n, v in parameters.items() if n not in ("user", "database", "options", "replication")}
    if parameters.get("replication", "false").lower() not in ("false", "off", "no", "0", ""):
        raise Failure("0A000", "replication is not supported")
    asked |= _options(parameters.get("options", ""))
    zone = next((n for n in asked if n.lower() == "timezone"), None)
    if zone is not None and not is_known_value("timezone", asked[zone]):
        del asked[zone]  # drivers send their host's without being asked to; the session's is told as UTC
    defaults = {name.lower(): _checked(name.lower(), value, public_is_main) for name, value in asked.items()}
    return Settings({}, defaults, fixed, public_is_main)


def _options(text: str) -> dict[str, str]:
    """The settings in `options`, each as `-c name=value` or `--name=value`, with a backslash before a space."""
    found, at = {}, len(text) - len(text.lstrip())
    while at < len(text):
        option = _OPTION.match(text, at)
        if option is None:
            raise Failure("22023", "options are written as -c name=value")
        found[option.group(1).replace("-", "_")] = re.sub(r"\\(.)", r"\1", option.group(2))
        at = option.end()
    return found


def _check_name(name: str) -> None:
    known = name in KNOWN_SETTINGS or (name.startswith("dpsql.") and name.removeprefix("dpsql.") in OWN)
    if not known:
        raise Failure(
            "42704",
            f'the setting "{name[:60]}" is not supported',
            "dpsql.epsilon, dpsql.rows, dpsql.accuracy, dpsql.clipping and dpsql.combine can be set, and those of "
            "PostgreSQL's that change no answer.",
        )


def _checked(name: str, value: str, public_is_main: bool) -> str:
    """The value as it is kept; dpsql's own settings are checked by the connection that is opened with them."""
    _check_name(name)
    if len(value.encode()) > LONGEST_NAME:
        raise Failure("22023", f"the value of a setting has at most {LONGEST_NAME} bytes")
    is_style = name == "intervalstyle" and value.strip().lower() == _ISO  # which has its effect
    if name in KNOWN_SETTINGS and not is_style and not is_known_value(name, value):
        raise Failure("22023", f'the setting "{name}" cannot have the value "{value[:60]}"', _HINTS.get(name))
    if name == "search_path" and not public_is_main and puts_public_first(value):
        raise Failure(
            "22023",
            "the policy has tables in the schema public, and a table without a schema is one of main",
            "Write public.name for those tables, or put main first.",
        )
    return as_written(name, value)


_HINTS: Final = MappingProxyType(
    {
        "bytea_output": "Bytes are written in hex.",
        "client_encoding": "Text is UTF8.",
        "datestyle": "Dates are written in ISO.",
        "role": "There is no role to take: everybody asks as who has logged in.",
        "extra_float_digits": "Floats are written with all their digits, as 1 to 3 have them.",
        "intervalstyle": "Intervals are written as postgres or iso_8601 has them.",
        "search_path": "A table without a schema is one of main; the path may name main, public and pg_catalog.",
        "timezone": "Moments are in UTC; CAST or AT TIME ZONE shows them elsewhere.",
    }
)
