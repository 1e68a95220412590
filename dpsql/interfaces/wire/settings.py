"""The settings of a session: five of dpsql's own, and a fixed list of PostgreSQL's that change nothing.

Whatever else is set is refused: no setting is taken as if it had an effect.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final

from dpsql.interfaces.wire.channel import SessionSettings
from dpsql.interfaces.wire.failures import Failure
from dpsql.sql.system_tables.pg_settings import setting

Allowed = Callable[[str], bool]

OWN: Final = ("epsilon", "rows", "accuracy", "clipping", "combine")
_REPORTED: Final = (
    "server_version", "server_encoding", "client_encoding", "application_name", "DateStyle", "IntervalStyle",
    "TimeZone", "integer_datetimes", "standard_conforming_strings", "is_superuser", "session_authorization",
    "default_transaction_read_only", "in_hot_standby",
)  # fmt: skip
_LEVELS: Final = ("debug", "log", "notice", "warning", "error")
_SHOWN_SCHEMAS: Final = frozenset({"main", "pg_catalog", ""})


def _anything(value: str) -> bool:
    return True


def _one_of(*words: str) -> Allowed:
    return lambda value: value.lower() in words


def _like(pattern: str) -> Allowed:
    whole = re.compile(pattern, re.IGNORECASE)
    return lambda value: whole.fullmatch(value) is not None


def _encoding(value: str) -> str:
    """An encoding's name as PostgreSQL compares it, by letters and digits alone: asyncpg says 'utf-8' in quotes."""
    return re.sub(r"[^a-z0-9]", "", value.lower())


def _schemas(value: str) -> bool:
    return all(name.strip().strip('"').lower() in _SHOWN_SCHEMAS for name in value.split(","))


_TRUTH: Final = _one_of("on", "off", "true", "false", "yes", "no", "1", "0", "t", "f")
_TRUE: Final = _one_of("on", "true", "yes", "1", "t")
_TIME: Final = _like(r"-?\d{1,10}\s*(us|ms|s|min|h|d)?")
_NUMBER: Final = _like(r"-?\d{1,10}")
_SIZE: Final = _like(r"\d{1,10}\s*(b|kb|mb|gb|tb)?")
_LEVEL: Final = _one_of("read uncommitted", "read committed", "repeatable read", "serializable")
_SETTINGS: Final = MappingProxyType[str, Allowed](
    {
        "application_name": _anything,
        "bytea_output": _one_of("hex"),
        "client_encoding": lambda value: _encoding(value) in ("utf8", "unicode", "sqlascii"),
        "client_min_messages": _like(r"debug[1-5]?|log|notice|warning|error|info"),
        "datestyle": _like(r"iso(, *(mdy|dmy|ymd|us|european|noneuropean))?|mdy|dmy|ymd"),
        "default_transaction_isolation": _LEVEL,
        "transaction_isolation": _LEVEL,
        "default_transaction_read_only": _TRUTH,
        "transaction_read_only": _TRUTH,
        "default_transaction_deferrable": _TRUTH,
        "extra_float_digits": _like(r"-?\d{1,2}"),
        "geqo": _TRUTH,
        "idle_in_transaction_session_timeout": _TIME,
        "idle_session_timeout": _TIME,
        "intervalstyle": _one_of("postgres"),
        "jit": _TRUTH,
        "lc_messages": _anything,
        "lc_monetary": _one_of("c", "posix"),
        "lc_numeric": _one_of("c", "posix"),
        "lc_time": _one_of("c", "posix"),
        "lock_timeout": _TIME,
        "max_parallel_workers_per_gather": _NUMBER,
        "plan_cache_mode": _one_of("auto", "force_generic_plan", "force_custom_plan"),
        "row_security": _TRUTH,
        "search_path": _schemas,
        "standard_conforming_strings": _TRUE,
        "statement_timeout": _TIME,
        "synchronize_seqscans": _TRUTH,
        "synchronous_commit": _like(r"on|off|local|remote_write|remote_apply|true|false"),
        "tcp_keepalives_idle": _NUMBER,
        "timezone": _one_of("utc", "gmt", "etc/utc", "z", "uct", "zulu", "etc/gmt", "universal"),
        "work_mem": _SIZE,
        "xmlbinary": _one_of("base64", "hex"),
        "xmloption": _one_of("content", "document"),
    }
)  # fmt: skip
_OPTION: Final = re.compile(r"(?:-c\s*|--)([^\s=]+)=((?:\\.|[^\s\\])*)\s*")


@dataclass(frozen=True, slots=True)
class Settings:
    """What a session has set, by lower-case name; `fixed` are facts about the session that cannot be set."""

    given: Mapping[str, str] = field(default_factory=dict)
    defaults: Mapping[str, str] = field(default_factory=dict)
    fixed: Mapping[str, str] = field(default_factory=dict)
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
        return replace(self, given={**self.given, name: _checked(name, value)})

    def reset(self) -> Settings:
        """The settings as the session began."""
        return replace(self, given={})

    def show(self, name: str) -> str | None:
        """The value of a setting, or None for what is not a setting."""
        name = name.lower()
        if (value := self._value(name)) is not None:
            return value
        if name.startswith("dpsql.") and name.removeprefix("dpsql.") in OWN:
            return ""
        return setting(name) if setting(name) is not None else "" if name in _SETTINGS else None

    def shows(self, level: str) -> bool:
        """Whether messages of a level (notice, warning) are sent."""
        least = re.sub(r"\d", "", (self.show("client_min_messages") or "notice").lower())
        return least not in _LEVELS or _LEVELS.index(level) >= _LEVELS.index(least)

    def reported(self) -> dict[str, str]:
        """What clients are told at the beginning, and again when it changes."""
        return {name: self.show(name) or "" for name in _REPORTED}

    def _value(self, name: str) -> str | None:
        for known in (self.fixed, self.given, self.defaults):
            if name in known:
                return known[name]
        return None


def opened_settings(parameters: Mapping[str, str], fixed: Mapping[str, str]) -> Settings:
    """The settings that a start-up packet asks for, which are the session's defaults. Raises Failure."""
    asked = {n: v for n, v in parameters.items() if n not in ("user", "database", "options", "replication")}
    if parameters.get("replication", "false").lower() not in ("false", "off", "no", "0", ""):
        raise Failure("0A000", "replication is not supported")
    asked |= _options(parameters.get("options", ""))
    zone = next((n for n in asked if n.lower() == "timezone"), None)
    if zone is not None and not _SETTINGS["timezone"](asked[zone]):
        del asked[zone]  # drivers send their host's without being asked to; the session's is told as UTC
    defaults = {name.lower(): _checked(name.lower(), value) for name, value in asked.items()}
    return Settings({}, defaults, fixed)


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
    known = name in _SETTINGS or (name.startswith("dpsql.") and name.removeprefix("dpsql.") in OWN)
    if not known:
        raise Failure(
            "42704",
            f'the setting "{name[:60]}" is not supported',
            "dpsql.epsilon, dpsql.rows, dpsql.accuracy, dpsql.clipping and dpsql.combine can be set, and those of "
            "PostgreSQL's that change no answer.",
        )


def _checked(name: str, value: str) -> str:
    """The value as it is kept; dpsql's own settings are checked by the connection that is opened with them."""
    _check_name(name)
    allowed = _SETTINGS.get(name)
    if allowed is not None and not allowed(value.strip()):
        raise Failure("22023", f'the setting "{name}" cannot have the value "{value[:60]}"', _HINTS.get(name))
    if name == "datestyle":
        return "ISO, MDY"
    if name == "client_encoding":
        return "SQL_ASCII" if _encoding(value) == "sqlascii" else "UTF8"
    return "UTC" if name == "timezone" else value


_HINTS: Final = MappingProxyType(
    {
        "bytea_output": "Bytes are written in hex.",
        "client_encoding": "Text is UTF8.",
        "datestyle": "Dates are written in ISO.",
        "intervalstyle": "Intervals are written as PostgreSQL does.",
        "search_path": "All tables are in the schema main.",
        "timezone": "Moments are in UTC; CAST or AT TIME ZONE shows them elsewhere.",
    }
)
