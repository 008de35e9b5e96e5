"""Machine files: a machine as JSON, refused where it does not belong."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from pathlib import Path
from types import UnionType
from typing import TYPE_CHECKING, Any, get_args, get_origin, get_type_hints

from msgspec import NODEFAULT, to_builtins

from halocline.errors import OutputError
from halocline.frozen import defaults, has_fields
from halocline.jit.cache import open_cache
from halocline.jit.toolchain import processor
from halocline.runtime.mpi_start import load_mpi
from halocline.tune.machine import Machine, MachineError

if TYPE_CHECKING:
    from collections.abc import Mapping

SCHEMA = "halocline machine"
VERSION = 3
_PROBE = "Run 'halocline probe' on this machine."


def machine_path() -> Path:
    """Return where the file of this machine is kept: beside the built libraries."""
    return open_cache().folder / "machine.json"


def identity_here() -> str:
    """Return a digest of what decides this machine's numbers: processor, cores and MPI."""
    words = (processor(), str(os.cpu_count()), mpi_version())
    return hashlib.sha256("\n".join(words).encode()).hexdigest()[:16]


def mpi_version() -> str:
    """Return what the MPI library calls itself, 'no MPI' without one; it is not initialised."""
    try:
        version: str = load_mpi().library_version()
    except ImportError:
        return "no MPI"
    return version.strip()


def save_machine(machine: Machine, path: Path) -> None:
    """Write a machine file, whole or not at all.

    Raises:
        OutputError: It cannot be written.
    """
    table = {"schema": SCHEMA, "version": VERSION, **to_builtins(machine)}
    write_whole(path, json.dumps(table, indent=1) + "\n")


def write_whole(path: Path, contents: str | bytes) -> None:
    """Write a file such that others see all of it or what was there before.

    Raises:
        OutputError: It cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".tmp")
        with os.fdopen(handle, "wb") as file:
            file.write(contents.encode() if isinstance(contents, str) else contents)
        Path(name).replace(path)
    except OSError as error:
        raise OutputError(
            f"The file '{path}' could not be written: {error.strerror}.",
            hint="Name another file, or make room.",
        ) from error


def load_machine(path: Path, identity: str | None = None) -> Machine:
    """Read a machine file.

    Args:
        path: The file.
        identity: What the file must have been measured on (see 'identity_here'); None for a
            machine that need not be this one, as in predictions.

    Raises:
        MachineError: It cannot be read, has another version, lacks something, or belongs to
            another machine.
    """
    try:
        table = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise MachineError(
            f"The machine file '{path}' could not be read: {error.strerror}.", hint=_PROBE
        ) from error
    except (ValueError, RecursionError) as error:
        raise MachineError(
            f"The machine file '{path}' is not valid JSON: {error}.", hint=_PROBE
        ) from error
    declared = (table.get("schema"), table.get("version")) if isinstance(table, dict) else ("", "")
    if declared != (SCHEMA, VERSION):
        raise MachineError(
            f"The file '{path}' says schema '{declared[0]}', version '{declared[1]}'; expected "
            f"'{SCHEMA}', version '{VERSION}'.",
            hint=_PROBE,
        )
    rest = {key: value for key, value in table.items() if key not in ("schema", "version")}
    machine = machine_of(rest, f"The machine file '{path}'")
    if identity is not None and machine.identity != identity:
        raise MachineError(
            f"The machine file '{path}' was measured on a machine with identity "
            f"'{machine.identity}' ('{machine.name}'); this one has '{identity}'.",
            hint=_PROBE,
        )
    return machine


def machine_of(table: Mapping[str, Any], where: str) -> Machine:
    """Return the machine of a table with the keys that its classes have.

    Raises:
        MachineError: A key is missing, unknown, or of another type; it begins with 'where'.
    """
    machine: Machine = _value(Machine, table, where, "")
    return machine


def _value(kind: Any, value: Any, file: str, key: str) -> Any:
    """Return a JSON value as the type that a field has.

    Raises:
        MachineError: It is of another type, or a key is missing or unknown.
    """
    if has_fields(kind):
        return _made(kind, value, file, key)
    if get_origin(kind) is tuple and isinstance(value, list):
        item = get_args(kind)[0]
        return tuple(_value(item, v, file, f"{key}[{n}]") for n, v in enumerate(value))
    allowed = get_args(kind) or (kind,)
    if get_origin(kind) is UnionType and has_fields(allowed[0]) and value is not None:
        return _made(allowed[0], value, file, key)
    if float in allowed and type(value) is int:
        return float(value)
    if type(value) in allowed:
        return value
    raise MachineError(f"{file} has {key}={value!r}; expected {_named(kind)}.", hint=_PROBE)


def _made(kind: Any, table: Any, file: str, key: str) -> Any:
    if not isinstance(table, dict):
        raise MachineError(f"{file} has {key}={table!r}; expected a table.", hint=_PROBE)
    dot = f"{key}." if key else ""
    keys = defaults(kind)
    for name, default in keys.items():
        if name not in table and default is NODEFAULT:
            raise MachineError(f"{file} has no key '{dot}{name}'.", hint=_PROBE)
    for name in table:
        if name not in keys:
            raise MachineError(f"{file} has an unknown key '{dot}{name}'.", hint=_PROBE)
    types = get_type_hints(kind)
    return kind(**{n: _value(types[n], v, file, f"{dot}{n}") for n, v in table.items()})


def _named(kind: Any) -> str:
    words = {int: "a whole number", float: "a number", str: "text", bool: "true or false"}
    named = [words.get(k, "null") for k in get_args(kind) or (kind,)]
    return " or ".join("a list" if get_origin(kind) is tuple else n for n in dict.fromkeys(named))
