"""Cases by name, from a Python file of one's own, or from a TOML file with its parameters.

A Python file defines a case, or is a program, which 'show' and 'bench' look at.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import EntryPoint
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tomli_w

from halocline.errors import CaseError, HaloclineError, PlanError, nearest
from halocline.frozen import Frozen
from halocline.installation import additions, refuse_if_not_installed
from halocline.options import Option, options_of

if TYPE_CHECKING:
    from halocline.apps.case import Case

# The class of each case, which is imported when it is used.
_CASES = {
    "lid-cavity": "halocline.apps.lbm.cases.cavity:LidCavity",
    "heat": "halocline.apps.heat.conduction:HeatConduction",
    "moving-heat-source": "halocline.apps.heat.moving_source:MovingHeatSource",
    "channel": "halocline.apps.lbm.cases.channel:Channel",
    "oscillating-channel": "halocline.apps.lbm.cases.oscillating_channel:OscillatingChannel",
    "duct": "halocline.apps.lbm.cases.duct:Duct",
    "taylor-green": "halocline.apps.lbm.cases.taylor_green:TaylorGreen",
    "shear-layer": "halocline.apps.lbm.cases.shear_layer:ShearLayer",
    "cylinder": "halocline.apps.lbm.cases.cylinder:Cylinder",
    "cylinder-in-duct": "halocline.apps.lbm.cases.cylinder_in_duct:CylinderInDuct",
    "sphere": "halocline.apps.lbm.cases.sphere:Sphere",
    "porous": "halocline.apps.lbm.cases.porous:Porous",
    "kelvin-wave": "halocline.apps.ocean.cases.kelvin_wave:KelvinWave",
    "seiche": "halocline.apps.ocean.cases.seiche:Seiche",
    "oscillating-lake": "halocline.apps.ocean.cases.oscillating_lake:OscillatingLake",
    "north-sea": "halocline.apps.ocean.cases.north_sea:NorthSea",
    "ocean": "halocline.apps.ocean.cases.ocean:Ocean",
    "lock-exchange": "halocline.apps.ocean.cases.lock_exchange:LockExchange",
    "mixed-layer": "halocline.apps.ocean.cases.mixed_layer:MixedLayer",
    "seamount": "halocline.apps.ocean.cases.seamount:Seamount",
}
# Modules that are files of users.
_OWN = "halocline_own_"


class Source(Frozen):
    """What a name or a file says: a case, and maybe parameters and how to run it.

    Attributes:
        kind: The class of the case.
        parameters: Those that are given, checked one by one.
        run: Options of the run, as well.
    """

    kind: type[Case]
    parameters: Mapping[str, Any]
    run: Mapping[str, Any]


def known_cases() -> dict[str, EntryPoint]:
    """Return what loads the class of each case by name, those of other packages last."""
    own = {name: EntryPoint(name, place, "halocline.cases") for name, place in _CASES.items()}
    return own | additions("cases")


def find_case(name: str) -> type[Case]:
    """Return the class of a case, by its name or the path of a Python file that defines it.

    Raises:
        CaseError: There is none.
        InstallationError: It belongs to a package that is not installed.
    """
    if name.endswith(".py"):
        return _own_case(Path(name))
    cases = known_cases()
    if name not in cases:
        refuse_if_not_installed("cases", name)
        raise CaseError(f"There is no case '{name}'.", hint=nearest(name, cases))
    kind: type[Case] = cases[name].load()
    return kind


def read_source(name_or_file: str) -> Source:
    """Return what a name, a Python file, or a TOML file with a table [case] says.

    Raises:
        CaseError: There is no such case, or the file has something unknown in it.
        HaloclineError: A value is not allowed; the message names file and line.
    """
    if not name_or_file.endswith(".toml"):
        return Source(find_case(name_or_file), {}, {})
    from halocline.apps.run_options import RUN

    path = Path(name_or_file)
    text, content = _read_file(path)
    table = content["case"]
    kind = find_case(table.pop("name"))
    reader = _Reader(path, text)
    about = f"Case '{kind.name}' has no parameter"
    parameters = reader.checked("case", table, options_of(kind), about, CaseError)
    run = reader.checked("run", content["run"], RUN, "The table [run] has no key", PlanError)
    return Source(kind, parameters, run)


def read_case(name_or_file: str, changes: Mapping[str, Any]) -> tuple[Case, dict[str, Any]]:
    """Return a checked case and what its file says about the run.

    Args:
        name_or_file: See 'read_source'.
        changes: Parameters that replace those of the file or the defaults.

    Raises:
        HaloclineError: Something in it is unknown, of the wrong type, or cannot be computed.
    """
    source = read_source(name_or_file)
    return make_case(source.kind, {**source.parameters, **changes}), dict(source.run)


def make_case(kind: str | type[Case], parameters: Mapping[str, Any]) -> Case:
    """Return a checked case.

    Args:
        kind: Its class, or its name.
        parameters: Those that differ from the defaults.

    Raises:
        CaseError: The name or a parameter is unknown, of the wrong type, or cannot be computed.
    """
    kind = find_case(kind) if isinstance(kind, str) else kind
    options = options_of(kind)
    for key in parameters:
        if key not in options:
            raise CaseError(
                f"Case '{kind.name}' has no parameter '{key}'.", hint=nearest(key, options)
            )
    case = kind(**{key: options[key].check(value, CaseError) for key, value in parameters.items()})
    case.check()
    return case


def case_file(case: Case, run: Mapping[str, Any]) -> str:
    """Return the text of a case file that repeats a run."""
    module = sys.modules[type(case).__module__]
    is_own = module.__name__.startswith(_OWN)
    name = str(Path(str(module.__file__)).resolve()) if is_own else case.name
    tables = {"case": {"name": name, **case.parameter_values}, "run": run}
    return tomli_w.dumps(
        {
            table: {key: value for key, value in values.items() if value is not None}
            for table, values in tables.items()
        }
    )


def _own_case(path: Path) -> type[Case]:
    """Return the case that a Python file of a user defines, or is."""
    from halocline.apps.case import Case
    from halocline.apps.script import Reached, script, stopping
    from halocline.language.grids.initial import planning

    name = _OWN + path.stem
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise CaseError(f"The Python file '{path}' could not be read.")
    module = sys.modules[name] = module_from_spec(spec)
    try:
        with stopping(path), planning():
            spec.loader.exec_module(module)
    except Reached:
        return script(path)
    own_cases = [
        kind
        for kind in vars(module).values()
        if isinstance(kind, type)
        and issubclass(kind, Case)
        and kind.__module__ == name
        and "name" in vars(kind)
    ]
    if not own_cases:
        return script(path)
    if len(own_cases) > 1:
        raise CaseError(
            f"The Python file '{path}' defines {len(own_cases)} cases; expected one: a subclass of "
            "'Case' that has a 'name'."
        )
    return own_cases[0]


def _read_file(path: Path) -> tuple[str, dict[str, dict[str, Any]]]:
    """Return the text and the two tables of a case file."""
    try:
        text = path.read_text(encoding="utf-8-sig")
        content = tomllib.loads(text)
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise CaseError(f"The case file '{path}' could not be read: {reason}.") from error
    except (ValueError, RecursionError) as error:  # of numbers with thousands of digits, too
        raise CaseError(f"The case file '{path}' is not valid TOML: {error}.") from error
    tables = ("case", "run")
    for key, value in content.items():
        if key not in tables or not isinstance(value, dict):
            raise CaseError(f"The case file '{path}' has '{key}'.", hint=_only_tables(key, tables))
    read_tables = {table: content.get(table, {}) for table in tables}
    if not isinstance(read_tables["case"].get("name"), str):
        raise CaseError(
            f"The case file '{path}' names no case.",
            hint=f'Write name = "{next(iter(known_cases()))}" in its table [case].',
        )
    return text, read_tables


def _only_tables(key: str, tables: tuple[str, ...]) -> str:
    if key in tables:
        return f"'{key}' must be a table: write [{key}]."
    return nearest(key, tables) + " Parameters belong in the table [case]."


class _Reader(Frozen):
    """Checks the tables of a case file; messages name the line."""

    path: Path
    text: str

    def checked(
        self,
        table: str,
        values: Mapping[str, Any],
        options: Mapping[str, Option],
        unknown: str,
        error: type[HaloclineError],
    ) -> dict[str, Any]:
        """Return the values of a table in the types of its options."""
        checked_values = {}
        for key, value in values.items():
            with self._at(table, key):
                if key not in options:
                    raise error(f"{unknown} '{key}'.", hint=nearest(key, options))
                checked_values[key] = options[key].check(value, error)
        return checked_values

    @contextmanager
    def _at(self, table: str, key: str) -> Iterator[None]:
        """Return a context in which errors tell the line of a key."""
        try:
            yield
        except HaloclineError as error:
            place = f"{self.path}:{self._line(table, key)}"
            raise type(error)(error.message, hint=error.hint, place=place) from None

    def _line(self, table: str, key: str) -> int:
        """Return the line where a key stands; TOML's reader does not tell."""
        begin = re.search(rf"^\s*\[\s*{table}\s*\]", self.text, re.MULTILINE)
        start = begin.end() if begin else 0
        match = re.compile(rf"^\s*\"?{re.escape(key)}\"?\s*=", re.MULTILINE).search(
            self.text, start
        )
        return self.text.count("\n", 0, match.end() if match else start) + 1
