"""Machines known without measuring, from the files in 'data': those of the papers, present ones.

Bandwidths count bytes read plus bytes written. Where a paper counts three transfers for an array
that is copied with stores through the cache, its figure is taken times two thirds. What is not
printed is assumed. 'Data sheet' is what a manufacturer promises, 'fitted' what makes the model meet
a number that a paper prints; each machine's 'sources' say which numbers are which.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from halocline.errors import nearest
from halocline.tune.machine import LINE_BYTES, Machine, MachineError
from halocline.tune.machine_file import identity_here, load_machine, machine_of, machine_path

_DATA = Path(__file__).with_name("data")
# A row that is packed, whatever its length, and a box; assumed [s].
_ROW_S, _BOX_S = 5e-9, 1e-8


@cache
def known_machines() -> dict[str, Machine]:
    """Return the built-in machines by name."""
    names = sorted(file.stem for file in _DATA.glob("*.toml"))
    return {name: _machine(name) for name in names}


def find_machine(name_or_file: str) -> Machine:
    """Return a built-in machine, or one from a file, for predictions.

    Args:
        name_or_file: A built-in name; 'here' for what 'halocline probe' has stored about this
            machine; or the path of a machine file (which ends in '.json').

    Raises:
        MachineError: There is no such machine, or its file does not serve.
    """
    if name_or_file == "here":
        return load_machine(machine_path(), identity_here())
    if name_or_file.endswith(".json"):
        return load_machine(Path(name_or_file))
    machines = known_machines()
    if name_or_file not in machines:
        raise MachineError(
            f"There is no machine '{name_or_file}'.",
            hint=nearest(name_or_file, (*machines, "here")) + " A file's name ends in '.json'.",
        )
    return machines[name_or_file]


def machine_here() -> Machine:
    """Return what is known about this machine: measured, or the generic one without a file.

    Raises:
        MachineError: There is a file, but it does not serve.
    """
    return find_machine("here") if machine_path().exists() else find_machine("generic")


def _machine(name: str) -> Machine:
    table = _table(name)
    packing = table["packing"]
    if "copy_bytes_per_s" in packing:
        # A value brings its whole line.
        rate = packing["copy_bytes_per_s"]
        lines = {"value_s": LINE_BYTES / rate, "byte_s": 2 / rate}
        packing = {**lines, "row_s": _ROW_S, "box_s": _BOX_S}
    transports = [_times(**times) for times in table["transports"]]
    rest = {"name": name, "identity": "", "packing": packing, "transports": transports}
    return machine_of({**table, **rest}, f"The data of machine '{name}'")


def _table(name: str) -> dict[str, Any]:
    """Return a file's table, with what it leaves out as the machine has that it is like."""
    table = tomllib.loads((_DATA / f"{name}.toml").read_text(encoding="utf-8"))
    like = table.pop("like", None)
    return {**_table(like), **table} if like else table


def _times(
    where: str, latency_s: float, bytes_per_s: float, *, is_copied: bool = False, **rest: Any
) -> dict[str, Any]:
    """Return times of a transport with one latency and one bandwidth for all sizes.

    Args:
        where: 'inside' a node or 'between' nodes.
        latency_s: Of an empty message [s].
        bytes_per_s: Of a long one [bytes/s].
        is_copied: Whether processors move the bytes.
        rest: Of 'TransportTimes'; the gap is the overhead if nothing else is said.
    """
    byte_s = 1 / bytes_per_s
    return {
        "gap_s": rest["overhead_s"],
        **rest,
        "is_same_node": where == "inside",
        "ranges": [{"upto_bytes": None, "latency_s": latency_s, "byte_s": byte_s}],
        "processor_byte_s": byte_s if is_copied else 0.0,
    }
