"""Cases by name or from a TOML file, with every unknown key refused and the nearest one named."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from halocline.errors import CaseError, nearest

if TYPE_CHECKING:
    from halocline.apps.case import Case

# What may stand in the table [run] of a case file, with the type of each.
RUN_KEYS: Mapping[str, type] = {
    "ranks": int,
    "threads": int,
    "decomposition": str,
    "overlap": str,
    "neighbours": str,
    "transport": str,
    "messages": str,
    "wait": str,
    "depth": int,
    "tiles": int,
    "device": str,
    "ranks_per_node": int,
    "link": str,
    "output": str,
    "every": int,
    "vtk": bool,
    "probe": list,
    "movie": str,
    "checkpoint": int,
}


def known_cases() -> dict[str, type[Case]]:
    """Return the classes of all cases by name."""
    from halocline.apps.heat.conduction import HeatConduction
    from halocline.apps.lbm.cavity import LidCavity
    from halocline.apps.lbm.channel import Channel
    from halocline.apps.lbm.cylinder import Cylinder
    from halocline.apps.lbm.duct import Duct
    from halocline.apps.lbm.obstacle_flow import ObstacleFlow
    from halocline.apps.lbm.oscillating_channel import OscillatingChannel
    from halocline.apps.lbm.porous import Porous
    from halocline.apps.lbm.sphere import Sphere
    from halocline.apps.lbm.taylor_green import TaylorGreen

    cases: tuple[type[Case], ...] = (
        LidCavity,
        HeatConduction,
        ObstacleFlow,
        Channel,
        OscillatingChannel,
        Duct,
        TaylorGreen,
        Cylinder,
        Sphere,
        Porous,
    )
    return {case.name: case for case in cases}


def read_case(name_or_file: str, changes: Mapping[str, Any]) -> tuple[Case, dict[str, Any]]:
    """Return a checked case and what its file says about the run.

    Args:
        name_or_file: The name of a case, or the path of a TOML file with a table [case] that
            holds 'name' and parameters, and maybe a table [run].
        changes: Parameters that replace those of the file or the defaults.

    Raises:
        CaseError: Something in it is unknown, of the wrong type, or cannot be computed.
    """
    if name_or_file.endswith(".toml"):
        table, run = _read_file(Path(name_or_file))
    else:
        table, run = {"name": name_or_file}, {}
    parameters = {key: value for key, value in table.items() if key != "name"} | dict(changes)
    case = make_case(str(table.get("name", "")), parameters)
    for field in fields(case):  # type: ignore[arg-type]
        # In a file, which has all parameters, it stands for one that was not given.
        if field.metadata.get("is_absent", False) and changes.get(field.name) == 0:
            raise CaseError(f"'{field.name}' was given 0; expected a number above 0.")
    return case, run


def make_case(name: str, parameters: Mapping[str, Any]) -> Case:
    """Return a checked case.

    Raises:
        CaseError: The name or a parameter is unknown, of the wrong type, or cannot be computed.
    """
    known = known_cases()
    if name not in known:
        raise CaseError(f"There is no case '{name}'.", hint=nearest(name, known))
    kind = known[name]
    types = {field.name: type(field.default) for field in fields(kind)}  # type: ignore[arg-type]
    for key in parameters:
        if key not in types:
            raise CaseError(f"Case '{name}' has no parameter '{key}'.", hint=nearest(key, types))
    case = kind(**{key: _typed(key, value, types[key]) for key, value in parameters.items()})
    case.check()
    return case


def parameters_of(case: Case) -> dict[str, Any]:
    """Return the parameters of a case by name."""
    return {field.name: getattr(case, field.name) for field in fields(case)}  # type: ignore[arg-type]


def case_file(case: Case, run: Mapping[str, Any]) -> str:
    """Return the text of a case file that repeats a run."""
    lines = ["[case]", f'name = "{case.name}"']
    lines += [f"{key} = {_toml(value)}" for key, value in parameters_of(case).items()]
    lines += ["", "[run]"]
    lines += [f"{key} = {_toml(value)}" for key, value in run.items() if value is not None]
    return "\n".join(lines) + "\n"


def _read_file(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise CaseError(f"The case file '{path}' could not be read: {reason}.") from error
    except tomllib.TOMLDecodeError as error:
        raise CaseError(f"The case file '{path}' is not valid TOML: {error}.") from error
    tables = ("case", "run")
    for key, value in content.items():
        if key not in tables or not isinstance(value, dict):
            raise CaseError(f"The case file '{path}' has '{key}'.", hint=_only_tables(key, tables))
    table, run = content.get("case", {}), content.get("run", {})
    if "name" not in table:
        raise CaseError(
            f"The case file '{path}' names no case.",
            hint=f'Write name = "{next(iter(known_cases()))}" in its table [case].',
        )
    for key in run:
        if key not in RUN_KEYS:
            raise CaseError(f"The table [run] has no key '{key}'.", hint=nearest(key, RUN_KEYS))
    return table, {key: _typed(key, value, RUN_KEYS[key]) for key, value in run.items()}


def _only_tables(key: str, tables: tuple[str, ...]) -> str:
    if key in tables:
        return f"'{key}' must be a table: write [{key}]."
    return nearest(key, tables) + " Parameters belong in the table [case]."


def _typed(key: str, value: Any, kind: type) -> Any:
    """Return a value as the type of its parameter, or refuse it."""
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    is_kind = isinstance(value, kind) and isinstance(value, bool) is (kind is bool)
    if not is_kind or (kind is list and not all(isinstance(entry, str) for entry in value)):
        words = {int: "a whole number", float: "a number", str: "text", bool: "true or false"}
        words[list] = "a list of texts"
        raise CaseError(f"'{key}' was given {value!r}; expected {words[kind]}.")
    return value


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"'
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    return repr(value)
