"""Checkpoints: files from which a run goes on, on any number of ranks, to the same bits.

Each rank writes its cells into a NumPy archive ('numpy.load' opens it): one array for each
component of each field, and where the cells are. That of rank 0 has the rest in 'checkpoint.json'.
See 'checkpoint_files' for how the files replace older ones, 'checkpoint_memory' for parts that are
kept in the memory of nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import accumulate, chain, pairwise
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec.structs import replace

from halocline.errors import CaseError
from halocline.geometry import Box
from halocline.io.checkpoint_files import (
    PartReader,
    PartWriter,
    add_array,
    check_exists,
    parts_of,
    read_about,
)
from halocline.io.checkpoint_memory import MemoryCopies
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
    from halocline.runtime.job import Job
    from halocline.session.simulation import Simulation

__all__ = [
    "bytes_kept",
    "check_exists",
    "check_memory",
    "forget",
    "load",
    "save",
    "step_in",
]

FORMAT = 6
# What an array takes in an archive beside its values, at most [bytes].
_HEAD_BYTES = 1024

Facts = Mapping[str, str | int | float | bool]
# Writes an array under a name.
Add = Callable[[str, "NDArray[Any]"], None]


@collective
def save(
    simulation: Simulation,
    path: str | Path,
    about: Facts | None = None,
    *,
    memory: bool = False,
) -> None:
    """Write a checkpoint; collective.

    Rank 0 writes 'path', each other rank a file in a directory beside it, as 'checkpoint.npz.a'.
    The older checkpoint stays readable until all files are on the disk, whatever happens meanwhile.

    With 'memory' nothing is written there. Each rank keeps its part in the shared memory of its
    node, and a copy of it in that of the next node: the loss of a node loses no part. Two such
    checkpoints are kept, until 'forget'.

    Args:
        simulation: What is to go on some day.
        path: The file, as 'checkpoint.npz'.
        about: What else must be the same then, as the parameters of a case.
        memory: Write into the memory of two nodes instead of files.

    Raises:
        OutputError: It cannot be written.
        CaseError: A step has failed, and fields belong to none; or with 'memory' there is only one
            node.
    """
    _refuse_mixture(simulation)
    job = simulation.job
    # Rank 0 alone chooses the directory of a run.
    place = job.first(Path(path))
    assert place is not None
    tables = _tables(simulation)
    if memory:
        MemoryCopies(place, job).keep(
            _bytes_of_part(simulation, tables),
            lambda archive: _write_part(simulation, partial(add_array, archive), tables),
            lambda: _content(simulation, about),
        )
    else:
        _save_files(simulation, place, tables, about)


def _refuse_mixture(simulation: Simulation) -> None:
    simulation.run(0, progress=False)
    if simulation.mixture:
        raise CaseError(
            f"No checkpoint was written: {simulation.mixture}, so fields belong to no step.",
            hint="Go on from the checkpoint before.",
        )


def _save_files(
    simulation: Simulation, place: Path, tables: Mapping[str, Any], about: Facts | None
) -> None:
    job = simulation.job
    attempt = Attempt(place, job, "An older checkpoint there stays as it is.")
    writer = PartWriter(place, job.rank, job.size)

    def write() -> None:
        writer.begin()
        _write_part(simulation, writer.add, tables)
        writer.end()

    try:
        attempt.do(writer.choose_slot)
        attempt.finish()
        writer.slot = job.first(writer.slot)
        attempt.do_on_each(place if job.rank == 0 else writer.part, write)
        attempt.finish()
        digests = job.gather(writer.digest)
        attempt.do(lambda: writer.publish(_content(simulation, about), digests or []))
        attempt.finish()
    finally:
        writer.discard()


@collective
def check_memory(simulation: Simulation, path: str | Path) -> None:
    """Refuse checkpoints in memory that would protect from nothing or do not fit; collective.

    Args:
        simulation: What is to be saved.
        path: The checkpoint.

    Raises:
        CaseError: The ranks are on one node.
        OutputError: The shared memory of a node is too small for two checkpoints.
    """
    simulation.run(0, progress=False)
    size_bytes = _bytes_of_part(simulation, _tables(simulation))
    MemoryCopies(Path(path), simulation.job).check(size_bytes)


@collective
def forget(simulation: Simulation, path: str | Path) -> None:
    """Remove checkpoints in memory, at the end of a run or before a new one; collective.

    Args:
        simulation: The simulation; its nodes are looked at.
        path: The path that 'save' was given.
    """
    MemoryCopies(Path(path), simulation.job).remove()


def _content(simulation: Simulation, about: Facts | None) -> dict[str, Any]:
    """Return what a checkpoint says of itself."""
    fields, numbers = _state(simulation)
    return {
        "format": FORMAT,
        "step": simulation.step,
        "time": simulation.time.hex(),
        "about": dict(about or {}),
        **_shape(simulation, fields),
        # As hexadecimal text: exact, and it knows NaN.
        "parameters": [[p.name, float(p.value).hex()] for p in numbers],
    }


def _tables(simulation: Simulation) -> dict[str, Any]:
    """Return what rank 0 writes beside its cells: leaves, rows of points; collective."""
    tables: dict[str, Any] = dict(_leaves_to_keep(simulation.grid.state.forest))
    for number, record in enumerate(records(simulation.steps)):
        for what, values in record.stored().all()._asdict().items():
            tables[f"record {number} {what}.npy"] = values
    return tables


def _write_part(simulation: Simulation, add: Add, tables: Mapping[str, Any]) -> None:
    """Write the cells of this rank, one component of a field at a time."""
    for name, values in tables.items() if simulation.rank == 0 else ():
        add(name, values)
    for field in _state(simulation)[0]:
        for component in range(field.components):
            parts = storage_of(field).kept_parts(component)
            if component == 0:
                boxes = [(box.lower, box.upper) for box, _ in parts]
                add(_boxes_of(field), np.array(boxes, np.int64))
            add(_name(field, component), _joined([v for _, v in parts], field.dtype))


def _bytes_of_part(simulation: Simulation, tables: Mapping[str, Any]) -> int:
    """Return how much the part of this rank takes at most [bytes]."""
    values = tables.values() if simulation.rank == 0 else ()
    size_bytes = sum(_HEAD_BYTES + np.asarray(table).nbytes for table in values)
    for field in _state(simulation)[0]:
        parts = [part for _, part in storage_of(field).kept_parts(0)]
        component = _HEAD_BYTES + sum(part.nbytes for part in parts)
        # A box has six corners at most.
        size_bytes += field.components * component + _HEAD_BYTES + 48 * len(parts)
    return size_bytes


def _joined(arrays: Sequence[NDArray[Any]], dtype: str) -> NDArray[Any]:
    """Return the values of a single box in its shape, those of others one after the other.

    The first axis changes fastest, as in the memory of fields: so nothing is transposed.
    """
    if len(arrays) == 1:
        return np.asfortranarray(arrays[0])
    return np.concatenate([np.empty(0, dtype), *(values.ravel(order="F") for values in arrays)])


@collective
def load(
    simulation: Simulation,
    path: str | Path,
    about: Facts | None = None,
    *,
    memory: bool = False,
) -> None:
    """Make a simulation go on from a checkpoint, written on any number of ranks; collective.

    Args:
        simulation: Of the same grid, fields and steps as the one that was saved; fields that it
            has been given other values are overwritten.
        path: The file.
        about: What must be the same as when it was saved.
        memory: Take the newest checkpoint in memory of which each part is on a node of this job,
            unless that in files is newer.

    Raises:
        CaseError: There is no such file, it is damaged, or it is of another simulation. If fields
            have changed, the simulation refuses to go on until a file has been loaded.
    """
    simulation.run(0, progress=False)
    job, place = simulation.job, Path(path)
    fields, numbers = _state(simulation)
    content, reader = _opened(job, place, memory=memory)
    expected = {**_shape(simulation, fields), "parameters": [p.name for p in numbers]}
    job.on_first(lambda: _refuse_others(place, content, dict(about or {}), expected))
    _refit(simulation, reader)
    simulation.mixture = f"the checkpoint '{place}' was loaded in part"
    for field in fields:
        read = partial(_boxes, reader, field)
        found = job.everywhere(job.on_each(read))
        mine, boxes = found[job.rank], [list(chain.from_iterable(parts)) for parts in found]
        storage_of(field).restore_kept(boxes, partial(_component, reader, field, mine))
    for number, record in enumerate(records(simulation.steps)):
        names = [f"record {number} {what}.npy" for what in AllRows._fields]
        record.stored().replace(AllRows(*_everywhere(simulation, reader, names)))
    for parameter, (_, number) in zip(numbers, content["parameters"], strict=True):
        parameter.value = float.fromhex(number)
    simulation.time = float.fromhex(content["time"])
    simulation.step = int(content["step"])


def step_in(path: Path) -> int | None:
    """Return the step of a checkpoint, None where there is no file; any process may call it.

    Raises:
        CaseError: It is damaged, or lacks a part.
    """
    if not path.exists():
        return None
    content = read_about(path)
    parts_of(path, content["parts"], rank=0, size=1)
    return int(content["step"])


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
    return len(forest.leaves.levels[field.space.level]) * prod(forest.leaves.block)


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
    return [(f"leaves of level {n}.npy", positions) for n, positions in enumerate(levels)]


def _refit(simulation: Simulation, reader: PartReader) -> None:
    """Give a forest the leaves that it had."""
    forest = simulation.grid.state.forest
    if forest is None:
        return
    names = [name for name, _ in _leaves_to_keep(forest)]
    found = _everywhere(simulation, reader, names)
    levels = [places.reshape(-1, forest.dimensions) for places in found]
    simulation.refit(replace(forest.leaves, levels=tuple(levels)))


def _boxes_of(field: Field) -> str:
    return f"{field.name}.boxes.npy"


def _name(field: Field, component: int) -> str:
    return f"{field.name}.{component}.npy"


def _opened(job: Job, place: Path, *, memory: bool) -> tuple[Mapping[str, Any], PartReader]:
    """Return what a checkpoint says of itself, and what reads this rank's share of its parts."""
    if memory:
        copies = MemoryCopies(place, job)
        newest, step = copies.newest(), job.from_first(lambda: _step_or_none(place))
        if newest is not None and (step is None or newest.content["step"] >= step):
            job.on_first(lambda: _refuse_format(place, newest.content))
            return newest.content, PartReader(place, *copies.share(newest))
    content = job.from_first(lambda: _read(place))
    assert content is not None
    parts = job.on_each(lambda: parts_of(place, content["parts"], job.rank, job.size))
    return content, PartReader(place, parts, place if job.rank == 0 else None)


def _step_or_none(place: Path) -> int | None:
    """Return the step of a checkpoint in files, None where none can be read."""
    with suppress(CaseError):
        return step_in(place)
    return None


def _read(path: Path) -> dict[str, Any]:
    """Return what a checkpoint in files says of itself (rank 0)."""
    content = read_about(path)
    _refuse_format(path, content)
    return content


def _refuse_format(path: Path, content: Mapping[str, Any]) -> None:
    if content.get("format") != FORMAT:
        raise CaseError(
            f"The checkpoint '{path}' has format {content.get('format')}; expected {FORMAT}.",
            hint="Go on with the version of Halocline that wrote it.",
        )


def _refuse_others(
    path: Path, content: Mapping[str, Any], about: dict[str, Any], expected: Mapping[str, Any]
) -> None:
    """Refuse a checkpoint of another simulation (rank 0)."""
    kept = content.get("about", {})
    for key in {**kept, **about}:
        _same(path, key, kept.get(key), about.get(key))
    for key, value in expected.items():
        found = content.get(key)
        _same(path, key, [p[0] for p in found or ()] if key == "parameters" else found, value)


def _same(path: Path, key: str, found: Any, expected: Any) -> None:
    if found != expected:
        raise CaseError(
            f"The checkpoint '{path}' was written with {key} = {found}; this run has "
            f"{key} = {expected}.",
            hint="A run goes on only as what it was: take its own case and parameters.",
        )


def _boxes(reader: PartReader, field: Field) -> list[list[Box]]:
    """Return the boxes of a field in each part that this rank reads."""
    corners = reader.arrays(_boxes_of(field))
    return [
        [Box(*(tuple(map(int, end)) for end in pair)) for pair in corners_of_part]
        for corners_of_part in corners
    ]


def _component(
    reader: PartReader, field: Field, boxes: Sequence[Sequence[Box]], component: int
) -> list[NDArray[Any]]:
    """Return one component of a field, an array for each box of the parts that this rank reads."""

    def read() -> list[NDArray[Any]]:
        parts = zip(reader.arrays(_name(field, component)), boxes, strict=True)
        return [values for part in parts for values in _parted(*part, field.dtype)]

    return reader.checked(read)


def _parted(values: NDArray[Any], boxes: Sequence[Box], dtype: str) -> list[NDArray[Any]]:
    """Return the values of boxes, which follow each other in an array."""
    flat = values.astype(dtype, casting="no", copy=False)
    flat = flat.reshape(sum(box.cells for box in boxes), order="F")
    ends = pairwise(accumulate((box.cells for box in boxes), initial=0))
    pairs = zip(boxes, ends, strict=True)
    return [flat[first:last].reshape(box.extent, order="F") for box, (first, last) in pairs]


def _everywhere(simulation: Simulation, reader: PartReader, names: Sequence[str]) -> list[Any]:
    """Return arrays of the part of rank 0 on all ranks."""
    job = simulation.job
    arrays = job.first(job.on_each(lambda: reader.tables(names)))
    assert arrays is not None
    return arrays
