"""Namelists: every setting of GETM that is known, and a file with them, read and checked.

Tables, 'namelists.csv' and for turbulence 'turbulence.csv', have a row for each setting: its group,
name, kind, the values that it can have, its default, its unit; which values we support ('' for
all); the switch of its group without which it does not matter; its name nowadays, if it is an old
one; what to do instead of a value that we cannot follow, where a row says it; and whether it is
accepted and ignored, as settings of output are. Runs that read nothing of a
group take whatever it says.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from operator import ge, gt, le, lt
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from halocline.apps.ocean.input.text_lines import text_of
from halocline.errors import CaseError, nearest
from halocline.frozen import Frozen
from halocline.installation import need

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_WORDS: Mapping[str, str] = MappingProxyType(
    {
        "bool": ".true. or .false.",
        "int": "a whole number",
        "ints": "whole numbers",
        "float": "a number",
        "str": "text",
    }
)
_KINDS: Mapping[str, type] = MappingProxyType(
    {"bool": bool, "int": int, "ints": int, "float": float, "str": str}
)
_SIGNS = MappingProxyType({">=": ge, "<=": le, ">": gt, "<": lt})
_END = re.compile(r"([<>]=?)(.+)")
_INTEGRATED, _FROZEN, _BAROCLINIC = 1, 3, 4
# Prefix of settings that select output; branches of GETM have more of them.
_SAVED = "save_"
# Groups of tracers.
_TRACERS = ("temp", "salt")
# What f90nml makes of the name of a namelist that is there again.
_TWICE = re.compile(r"_grp_(\w+)_\d+$")
# Where it says from which index on arrays are given.
_FIRST_INDICES = "_start_index"


class Allowed(Frozen):
    """Values that are allowed, as the table writes them: '1 2 3', 'F', '>=0 <=1', '' for all."""

    text: str

    def __contains__(self, value: Any) -> bool:
        """Return whether a value is allowed."""
        parts = self.text.split()
        if not parts or not self._is_interval:
            word = {True: "T", False: "F"}[value] if isinstance(value, bool) else str(value)
            return not parts or word in parts
        ends = map(_END.fullmatch, parts)
        return all(_SIGNS[end[1]](value, float(end[2])) for end in ends if end)

    def __str__(self) -> str:
        """Return them in words."""
        parts = [{"T": ".true.", "F": ".false."}.get(part, part) for part in self.text.split()]
        return (" and " if self._is_interval else " or ").join(parts)

    @property
    def _is_interval(self) -> bool:
        return self.text.startswith((">", "<"))


class Entry(Frozen):
    """A setting that GETM knows.

    Attributes:
        group: Its namelist.
        name: Its name.
        kind: One of 'bool', 'int', 'ints', 'float', 'str'.
        values: Those that it can have.
        default: What it is if a file says nothing; None for nothing.
        unit: Of its value.
        supported: Those that we can follow.
        when: The switch of the group without which it does not matter; '' for none.
        now: 'group.name' of what it is called in newer versions; '' for an entry of these.
        instead: What to do if we cannot follow it; '' if nothing is known.
        ignored: Whether results are the same for all of its values, as for settings of output.
    """

    group: str
    name: str
    kind: str
    values: Allowed
    default: Any
    unit: str
    supported: Allowed
    when: str
    now: str
    instead: str
    ignored: bool

    @property
    def key(self) -> str:
        """Where its value is kept: its newer name."""
        return self.now or f"{self.group}.{self.name}"

    def check(self, value: Any) -> Any:
        """Return a value as its kind is.

        Raises:
            CaseError: It has another kind, or cannot have this value.
        """
        if self.kind == "float" and type(value) is int:
            value = float(value)
        parts = [value]
        if self.kind == "ints" and isinstance(value, list):
            # Values that are left out, as in '0,,,', stay what they are.
            parts = value = [part for part in value if part is not None]
        if any(type(part) is not _KINDS[self.kind] or part not in self.values for part in parts):
            which = f", {self.values}" if self.values.text else ""
            unit = f" [{self.unit}]" if self.unit else ""
            raise CaseError(
                f"'{self.name}' in the namelist '{self.group}' is {shown(value)}; expected "
                f"{_WORDS[self.kind]}{which}{unit}."
            )
        return value


Known = Mapping[str, Mapping[str, Entry]]


def shown(value: Any) -> str:
    """Return a value as namelists write it."""
    if isinstance(value, bool):
        return ".true." if value else ".false."
    return f"'{value}'" if isinstance(value, str) else str(value)


@cache
def entries(table: str) -> Known:
    """Return all settings of a table, 'namelists.csv' or 'turbulence.csv', by group and name."""
    text = files(__package__).joinpath(table).read_text("utf-8")
    groups: dict[str, dict[str, Entry]] = {}
    for row in csv.DictReader(text.splitlines(), restval=""):
        parsed = {
            "default": _default(row["kind"], row["default"]),
            "values": Allowed(row["values"]),
            "supported": Allowed(row["supported"]),
            "ignored": row["ignored"] == "T",
        }
        entry = Entry(**{**row, **parsed})
        groups.setdefault(entry.group, {})[entry.name] = entry
    return MappingProxyType(groups)


def _default(kind: str, text: str) -> Any:
    """Return the value that a text of the table stands for."""
    if kind == "bool":
        return text == "T"
    return _KINDS[kind](text) if text or kind == "str" else None


class Settings(Frozen):
    """The settings of a file.

    Attributes:
        path: Of their file.
        given: Those that the file has, by 'group.name'.
        known: All that there are.
        problems: Names that are unknown, and values that cannot be.
        ignored: Names that the file has and that change nothing here, by namelist.
    """

    path: Path
    given: Mapping[str, Any]
    known: Known
    problems: tuple[CaseError, ...]
    ignored: Mapping[str, tuple[str, ...]]

    def __getitem__(self, key: str) -> Any:
        """Return a value by 'group.name', the default if the file has none."""
        group, name = key.split(".")
        return self.given.get(key, self.known[group][name].default)

    def is_given(self, key: str) -> bool:
        """Return whether the file has a value."""
        return key in self.given

    def is_read(self, group: str) -> bool:
        """Return whether a group matters."""
        del group
        return True

    def is_supported(self, *keys: str) -> bool:
        """Return whether we can follow the values of settings."""
        entries = (self.known[group][name] for group, name in (key.split(".") for key in keys))
        return all(self[entry.key] in entry.supported for entry in entries)

    @property
    def remark(self) -> str:
        """A sentence about names that change nothing here; '' if there are none."""
        if not self.ignored:
            return ""
        listed = (f"{group} ({', '.join(names)})" for group, names in self.ignored.items())
        return (
            f"'{self.path.name}' has settings on which nothing here depends: {', '.join(listed)}."
        )

    def unsupported(self) -> list[str]:
        """Return a line for each setting that would change the result and that we cannot follow."""
        lines = []
        for name, group in self.known.items():
            for entry in group.values() if self.is_read(name) else ():
                value = self[entry.key] if not entry.now else None
                if value is None or (entry.when and not self[f"{entry.group}.{entry.when}"]):
                    continue
                if value not in entry.supported:
                    lines.append(self.refusal(entry.key, str(entry.supported)))
        return lines

    def refusal(self, key: str, supported: str) -> str:
        """Return the line of a setting that we cannot follow."""
        group, name = key.split(".")
        instead = self.known[group][name].instead
        end = f"; instead: '{instead}'" if instead else ""
        return f"{group}: {name} = {shown(self[key])}; supported: {supported}{end}"


_Settings = TypeVar("_Settings", bound=Settings)


class Namelists(Settings):
    """The settings of a run, which 'getm.inp' has."""

    @property
    def is_layered(self) -> bool:
        """Whether it is a run with layers."""
        return bool(self["param.runtype"] != _INTEGRATED)

    @property
    def is_baroclinic(self) -> bool:
        """Whether density gradients drive the water."""
        return bool(self["param.runtype"] in (_FROZEN, _BAROCLINIC))

    @property
    def is_frozen(self) -> bool:
        """Whether temperature and salinity keep their first values."""
        return bool(self["param.runtype"] == _FROZEN)

    @property
    def tracers(self) -> tuple[str, ...]:
        """The namelists of the tracers that the run computes: 'temp', 'salt'."""
        return tuple(name for name in _TRACERS if self.is_baroclinic and self[f"m3d.calc_{name}"])

    def is_read(self, group: str) -> bool:
        """Return whether a group matters in a run of its type."""
        if group in _TRACERS:
            return group in self.tracers
        if group == "eqstate":
            return bool(self.tracers)
        return self.is_layered or group != "m3d"


def read_namelists(path: Path) -> Namelists:
    """Return the settings of a run; see 'read_settings'."""
    return read_settings(Namelists, path, "namelists.csv")


def read_settings(kind: type[_Settings], path: Path, table: str) -> _Settings:
    """Return the settings of a file, and the problems in it.

    Args:
        kind: Of the settings.
        path: Of the file.
        table: With those that are known, see 'entries'.

    Raises:
        CaseError: There is no such file, or it has no namelists.
    """
    known = entries(table)
    reader = _Reader(path, known)
    for group, values in _values_of(path).items():
        reader.take(group, values)
    ignored = MappingProxyType({group: tuple(names) for group, names in reader.ignored.items()})
    return kind(path, MappingProxyType(reader.given), known, tuple(reader.problems), ignored)


class _Reader:
    """Sorts what a file has into values, problems, and names that change nothing.

    Args:
        path: Of the file.
        known: All settings.
    """

    def __init__(self, path: Path, known: Known) -> None:
        self.path, self.known = path, known
        self.given: dict[str, Any] = {}
        self.problems: list[CaseError] = []
        self.ignored: dict[str, list[str]] = {}

    def take(self, group: str, values: Mapping[str, Any]) -> None:
        """Take a namelist."""
        if group not in self.known:
            self._miss(f"has a namelist '{group}'", group, self.known)
            return
        for name, value in values.items():
            entry = self.known[group].get(name)
            if entry.ignored if entry else _says_what_is_saved(group, name):
                self.ignored.setdefault(group, []).append(name)
            elif entry is None:
                self._miss(f"has '{name}' in the namelist '{group}'", name, self.known[group])
            if entry is not None:
                self._take_value(entry, value)

    def _take_value(self, entry: Entry, value: Any) -> None:
        try:
            self.given[entry.key] = entry.check(value)
        except CaseError as error:
            self.problems.append(CaseError(f"In the file '{self.path}' {error.message}"))

    def _miss(self, has: str, name: str, known: Iterable[str]) -> None:
        """Note a name that is unknown."""
        message = f"The file '{self.path}' {has}; it is unknown."
        self.problems.append(CaseError(message, hint=nearest(name, known)))


def _says_what_is_saved(group: str, name: str) -> bool:
    """Return whether a name that is unknown can only say which output is written."""
    return group == "io_spec" and name.startswith(_SAVED)


def _values_of(path: Path) -> dict[str, dict[str, Any]]:
    """Return the values of all namelists of a file, as they stand there.

    Raises:
        CaseError: There is no such file, or no namelist in it.
    """
    need("ocean", "f90nml")
    import f90nml

    if not path.is_file():
        raise CaseError(
            f"There is no file '{path}'; expected a folder with GETM's namelists in it."
        )
    text = text_of(path)
    try:
        content = f90nml.reads(text).todict()
    except Exception as error:  # f90nml raises whatever its parser does
        raise CaseError(
            f"The file '{path}' is no file of Fortran namelists: {error}.",
            hint="A namelist begins with '&name' and ends with '/'; text stands in quotes.",
        ) from error
    if not content:
        raise CaseError(f"The file '{path}' has no namelists; expected '&param … /' and others.")
    for group in content:
        if twice := _TWICE.match(group):
            raise CaseError(
                f"The file '{path}' has the namelist '{twice[1]}' more than once; expected one."
            )
    return {
        group: {
            name: value
            for name, value in values.items()
            if value is not None and name != _FIRST_INDICES
        }
        for group, values in content.items()
    }
