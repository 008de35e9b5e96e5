"""Checkpoints: a file from which a run goes on, on any number of ranks, to the same bits.

It is a NumPy archive ('numpy.load' opens it): one array for each component of each field, of a
forest with the cells of its leaves one after the other, and 'checkpoint.json' with the rest. A zip
archive knows the checksum of each of its files, so that damage is found; and a single file can take
the place of an older one at once.
"""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from halocline.errors import CaseError
from halocline.geometry import Box
from halocline.io.lock import hold
from halocline.io.output import Attempt
from halocline.language.expressions.parameters import Parameter
from halocline.language.points.record import AllRows
from halocline.language.state import fields_to_keep, parameters, records
from halocline.runtime.collective import collective
from halocline.runtime.storage import storage_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from halocline.language.grids.fields import Field
    from halocline.language.grids.forest import Forest
    from halocline.language.grids.grid import Grid
    from halocline.language.steps.steps import Step
    from halocline.session.simulation import Simulation

FORMAT = 4
_ABOUT = "checkpoint.json"

Facts = Mapping[str, str | int | float | bool]


@collective
def save(simulation: Simulation, path: str | Path, about: Facts | None = None) -> None:
    """Write a checkpoint; collective.

    It is written beside its place and moved there when complete: whatever happens meanwhile, the
    older one stays whole. Rank 0 holds one component of one field at a time.

    Args:
        simulation: What is to go on some day.
        path: The file, as 'checkpoint.npz'.
        about: What else must be the same then, as the parameters of a case.

    Raises:
        OutputError: It cannot be written.
        CaseError: A step has failed, and fields belong to none.
    """
    simulation.run(0, progress=False)
    if simulation.mixture:
        raise CaseError(
            f"No checkpoint was written: {simulation.mixture}, so fields belong to no step.",
            hint="Go on from the checkpoint before.",
        )
    place = Path(path)
    fields, numbers = _state(simulation)
    content = {
        "format": FORMAT,
        "step": simulation.step,
        "time": simulation.time.hex(),
        "about": dict(about or {}),
        **_shape(simulation, fields),
        # As hexadecimal text: exact, and it knows NaN.
        "parameters": [[p.name, float(p.value).hex()] for p in numbers],
    }
    attempt = Attempt(place, simulation.job)
    archive = _Archive(place)
    attempt.do(lambda: archive.begin(content))
    for name, positions in _leaves_to_keep(simulation.grid.state.forest):
        attempt.do(partial(archive.add, name, positions))
    for field in fields:
        boxes = _boxes(field)
        attempt.do(partial(archive.add, f"{field.name}.boxes.npy", _corners(boxes)))
        for component, values in enumerate(storage_of(field).gather_kept(boxes)):
            attempt.do(partial(archive.add, _name(field, component), _shaped(values, boxes)))
    for number, record in enumerate(records(simulation.steps)):
        for what, values in record.stored().all()._asdict().items():
            attempt.do(partial(archive.add, f"record {number} {what}.npy", values))
    attempt.do(archive.publish)
    archive.discard()
    attempt.finish()


@collective
def load(simulation: Simulation, path: str | Path, about: Facts | None = None) -> None:
    """Make a simulation go on from a checkpoint, written on any number of ranks; collective.

    Args:
        simulation: Of the same grid, fields and steps as the one that was saved; fields that it
            has been given other values are overwritten.
        path: The file.
        about: What must be the same as when it was saved.

    Raises:
        CaseError: There is no such file, it is damaged, or it is of another simulation. If fields
            have changed, the simulation refuses to go on until a file has been loaded.
    """
    simulation.run(0, progress=False)
    place = Path(path)
    fields, numbers = _state(simulation)
    expected = {**_shape(simulation, fields), "parameters": [p.name for p in numbers]}
    found = simulation.job.on_first(lambda: _read(place, dict(about or {}), expected))
    content = simulation.job.first(found)
    assert content is not None
    _refit(simulation, place)
    simulation.mixture = f"the checkpoint '{place}' was loaded in part"
    for field in fields:
        (corners,) = _everywhere(simulation, place, [f"{field.name}.boxes.npy"])
        boxes = [Box(*(tuple(map(int, end)) for end in pair)) for pair in corners]
        storage_of(field).scatter_kept(boxes, partial(_component, simulation, place, field, boxes))
    for number, record in enumerate(records(simulation.steps)):
        names = [f"record {number} {what}.npy" for what in AllRows._fields]
        record.stored().replace(AllRows(*_everywhere(simulation, place, names)))
    for parameter, (_, number) in zip(numbers, content["parameters"], strict=True):
        parameter.value = float.fromhex(number)
    simulation.time = float.fromhex(content["time"])
    simulation.step = int(content["step"])


def bytes_kept(grid: Grid, steps: Iterable[Step]) -> int:
    """Return about how much a checkpoint takes: cells beyond sides are not counted [bytes]."""
    return sum(
        field.components * np.dtype(field.dtype).itemsize * _cells(field)
        for field in fields_to_keep(grid, steps)
    )


def _cells(field: Field) -> int:
    """Return in how many cells a field has values, of a level of a forest in its leaves."""
    forest = field.grid.state.forest
    if forest is None:
        return prod(field.space.shape)
    return sum(box.cells for box in forest.leaves.boxes(field.space.level))


def _state(simulation: Simulation) -> tuple[tuple[Field, ...], tuple[Parameter, ...]]:
    """Return fields and numbers that a checkpoint holds."""
    fields = fields_to_keep(simulation.grid, simulation.steps)
    return fields, parameters(simulation.grid, simulation.steps, simulation.dt)


def _shape(simulation: Simulation, fields: tuple[Field, ...]) -> dict[str, Any]:
    """Return what a simulation must have in common with the one that goes on from it."""
    grid, dt, forest = simulation.grid, simulation.dt, simulation.grid.state.forest
    return {
        "extent": list(grid.extent),
        "periodic": list(grid.periodic),
        "shifts": [list(shift) for shift in grid.shifts],
        "spacing": [np.asarray(widths).tolist() for widths in grid.spacing],
        "origin": list(grid.origin),
        "forest": None
        if forest is None
        else [list(forest.leaves.block), forest.finest, forest.substeps],
        "dt": dt.name if isinstance(dt, Parameter) else dt,
        "fields": {f.name: _kind(f) for f in fields},
        "records": [[record.name, record.digest] for record in records(simulation.steps)],
    }


def _kind(field: Field) -> str:
    size = field.space.size
    return f"{field.dtype}, {field.components} component(s), {size} on '{field.axes}'"


def _leaves_to_keep(forest: Forest | None) -> list[tuple[str, NDArray[np.int64]]]:
    """Return where the leaves of each level are, under the names of arrays."""
    levels = () if forest is None else forest.leaves.levels
    return [
        (f"leaves of level {n}.npy", np.array(positions, np.int64))
        for n, positions in enumerate(levels)
    ]


def _refit(simulation: Simulation, path: Path) -> None:
    """Give a forest the leaves that it had."""
    forest = simulation.grid.state.forest
    if forest is None:
        return
    names = [name for name, _ in _leaves_to_keep(forest)]
    found = _everywhere(simulation, path, names)
    levels = tuple(tuple(tuple(map(int, place)) for place in places) for places in found)
    simulation.refit(replace(forest.leaves, levels=levels))


def _boxes(field: Field) -> list[Box]:
    """Return where a checkpoint has values of a field.

    Stored layers beyond the domain, too: kernels may have assigned there.
    """
    forest = field.grid.state.forest
    leaves = None if forest is None else forest.leaves.boxes(field.space.level)
    return storage_of(field).kept_boxes(leaves)


def _corners(boxes: Sequence[Box]) -> NDArray[np.int64]:
    return np.array([(box.lower, box.upper) for box in boxes], np.int64)


def _shaped(values: NDArray[Any] | None, boxes: Sequence[Box]) -> NDArray[Any] | None:
    """Return the values of a single box in its shape, those of several one after the other."""
    return values.reshape(boxes[0].extent) if values is not None and len(boxes) == 1 else values


def _name(field: Field, component: int) -> str:
    return f"{field.name}.{component}.npy"


class _Archive:
    """A NumPy archive that grows beside the place where it will be."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._unfinished = path.with_name(path.name + ".unfinished")
        self._zip: zipfile.ZipFile | None = None

    def begin(self, content: Mapping[str, Any]) -> None:
        hold(self.path, self)
        self._zip = zipfile.ZipFile(self._unfinished, "w")
        self._zip.writestr(_ABOUT, json.dumps(content, indent=1))

    def add(self, name: str, values: Any) -> None:
        assert self._zip is not None
        with self._zip.open(name, "w", force_zip64=True) as member:
            np.lib.format.write_array(member, values, allow_pickle=False)

    def publish(self) -> None:
        """Let it take the place of an older one, when all of it is on the disk."""
        assert self._zip is not None
        self._zip.close()
        with self._unfinished.open("rb+") as file:
            os.fsync(file.fileno())
        self._unfinished.replace(self.path)

    def discard(self) -> None:
        """Remove what was not published."""
        if self._zip is not None:
            # On a full disk even the end of the file cannot be written.
            with suppress(OSError, ValueError):
                self._zip.close()
            with suppress(OSError):
                self._unfinished.unlink(missing_ok=True)


def _read(path: Path, about: dict[str, Any], expected: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a checkpoint that fits says of itself (rank 0)."""
    content = _open(path)
    kept = content.get("about", {})
    for key in {**kept, **about}:
        _same(path, key, kept.get(key), about.get(key))
    for key, value in expected.items():
        found = content.get(key)
        _same(path, key, [p[0] for p in found or ()] if key == "parameters" else found, value)
    return content


def _same(path: Path, key: str, found: Any, expected: Any) -> None:
    if found != expected:
        raise CaseError(
            f"The checkpoint '{path}' was written with {key} = {found}; this run has "
            f"{key} = {expected}.",
            hint="A run goes on only as what it was: take its own case and parameters.",
        )


def check_exists(path: Path) -> None:
    """Raise a CaseError where there is no checkpoint."""
    if not path.exists():
        raise CaseError(
            f"There is no checkpoint '{path}'.",
            hint="Give the directory of a run that wrote one with --checkpoint.",
        )


def _open(path: Path) -> dict[str, Any]:
    """Return what a checkpoint says of itself."""
    check_exists(path)
    with _reading(path), zipfile.ZipFile(path) as archive:
        content: dict[str, Any] = json.loads(archive.read(_ABOUT))
    if content.get("format") != FORMAT:
        raise CaseError(
            f"The checkpoint '{path}' has format {content.get('format')}; expected {FORMAT}.",
            hint="Go on with the version of Halocline that wrote it.",
        )
    return content


def _component(
    simulation: Simulation, path: Path, field: Field, boxes: Sequence[Box], component: int
) -> NDArray[Any] | None:
    """Return one component of a field in some boxes on rank 0."""
    name, cells = _name(field, component), sum(box.cells for box in boxes)

    def read() -> NDArray[Any]:
        (values,) = _arrays(path, [name])
        try:
            found: NDArray[Any] = values.astype(field.dtype, casting="no").reshape(cells)
        except (ValueError, TypeError) as error:
            raise _damaged(path, error) from error
        return found

    return simulation.job.on_first(read)


def _everywhere(simulation: Simulation, path: Path, names: Sequence[str]) -> list[Any]:
    """Return arrays of a checkpoint on all ranks."""
    arrays = simulation.job.from_first(partial(_arrays, path, names))
    assert arrays is not None
    return arrays


def _arrays(path: Path, names: Sequence[str]) -> list[Any]:
    """Return arrays of a checkpoint (rank 0)."""
    result = []
    for name in names:
        with _reading(path), zipfile.ZipFile(path) as archive, archive.open(name) as member:
            result.append(np.lib.format.read_array(member, allow_pickle=False))
            # The checksum is compared where the member ends.
            member.read()
    return result


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Report a damaged file: of one in the head of an archive, Python's modules raise anything."""
    try:
        yield
    except Exception as error:
        raise _damaged(path, error) from error


def _damaged(path: Path, error: Exception) -> CaseError:
    reason = str(error).strip('"') or type(error).__name__
    return CaseError(
        f"The checkpoint '{path}' cannot be read: {reason}.",
        hint="It is damaged, or not a checkpoint; restart from another one.",
    )
