"""Board: a small plan on every rank, executed by the same runtime as any simulation.

Each rank owns a box; the boxes stand in a row along an axis, with a halo one cell wide between
them. A message carries the outermost layer of one rank's box into the halo of another.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

import halocline as hc
from halocline.bench.settings import dtype_of
from halocline.bench.times import Times, sample
from halocline.errors import HaloclineError
from halocline.pipeline import compile_kernels, plan_for
from halocline.runtime import _core

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from halocline.bench.settings import Settings
    from halocline.language.kernel import Kernel
    from halocline.pipeline import CompiledKernels
    from halocline.runtime._core import Operation
    from halocline.runtime.job import Job

Cell = tuple[int, int, int]

_REWRITE = "rewrite"
_PROGRAM = "step"
# Values are whole numbers below this before they are rewritten: exact also in float32.
_LARGEST_VALUE = 1021


@dataclass(frozen=True, slots=True)
class Way:
    """A layer that travels.

    Attributes:
        source: Rank that owns it.
        target: Rank into whose halo it goes.
        side: The side of the source's box where it lies: 'upper' goes to the target's lower halo.
    """

    source: int
    target: int
    side: Literal["lower", "upper"]


class Board:
    """Boxes in a row, one a rank, with exchanges between them.

    Args:
        job: The ranks.
        extent: Cells of each rank's box.
        axis: Along which the boxes stand.
        element_bytes: 4 or 8.
        is_rewritten: See 'Settings'.
    """

    def __init__(
        self, job: Job, extent: Cell, axis: int, element_bytes: int, *, is_rewritten: bool = True
    ) -> None:
        self.job = job
        self.extent = extent
        self.axis = axis
        self.dtype = dtype_of(element_bytes)
        self.layer = _with(extent, axis, 1)
        self.lower = _with((0, 0, 0), axis, job.rank * extent[axis])
        self.upper = _plus(self.lower, extent)
        self.runtime = _core.Runtime(1, job.transport)
        self.runtime.add_block(self.runtime.add_space(), _core.Box(self.lower, self.upper))
        halo = _with((0, 0, 0), axis, 1)
        self.slot = self.runtime.add_field(_core.Field("values", self.dtype, 1, halo, halo))
        kernel = address_of(job, increase, self.dtype)
        self._rewrite = add_kernel(self.runtime, _REWRITE, kernel, self.slot)
        self.is_rewritten = is_rewritten
        self.ways: list[Way] = []
        self.rewrites = 0
        self._tag = 0
        self._exchanges = 0
        self._is_connected = False
        self._is_silent = False

    def add_exchange(self, transport: str, ways: Sequence[Way], pieces: int = 1) -> int:
        """Add an exchange and return its number.

        Args:
            transport: What moves it.
            ways: The layers that travel.
            pieces: Into how many equal messages a layer is cut along x.
        """
        sends, receives = [], []
        for way in ways:
            for piece in range(pieces):
                if self.job.rank == way.source:
                    sends.append(self._message(way, way.target, transport, piece, pieces))
                if self.job.rank == way.target:
                    receives.append(self._message(way, way.source, transport, piece, pieces))
                self._tag += 1
        self.ways += ways
        self._exchanges += 1
        name = f"exchange {self._exchanges}"
        return self.runtime.add_exchange(_core.Exchange(name, sends, receives))

    def _message(
        self, way: Way, other: int, transport: str, piece: int, pieces: int
    ) -> _core.Message:
        """Return a message as this rank sees it."""
        here, there = self._sent(way), self._received(way)
        if self.job.rank != way.source:
            here, there = there, here
        extent = _with(self.layer, 0, self.layer[0] // pieces)
        moved = (piece * extent[0], 0, 0)
        ends = (0, _plus(here, moved), 0, _plus(there, moved))
        part = _core.Part(self.slot, 0, *ends, extent)
        return _core.Message(other, self._tag, _core.Way[transport], [part])

    def _sent(self, way: Way) -> Cell:
        """Return the first cell of the layer that its source owns."""
        place = way.source * self.extent[self.axis] + self._position(way)
        return _with((0, 0, 0), self.axis, place)

    def _received(self, way: Way) -> Cell:
        """Return the first cell of the halo that it goes to."""
        length = self.extent[self.axis]
        place = way.target * length + (-1 if way.side == "upper" else length)
        return _with((0, 0, 0), self.axis, place)

    def set_program(self, operations: Sequence[Operation], *, is_silent: bool = False) -> None:
        """Say what a step does, besides rewriting first; after all exchanges were added.

        Args:
            operations: What is timed.
            is_silent: Whether no message is sent, so that none can be verified.
        """
        if not self._is_connected:
            self.runtime.connect()
            self._is_connected = True
        layers = dict.fromkeys(self._sent(w) for w in self.ways if w.source == self.job.rank)
        boxes = [block_box(lower, _plus(lower, self.layer)) for lower in layers]
        is_needed = self.is_rewritten and bool(boxes)
        rewrite = [_core.Run(self._rewrite, _REWRITE, boxes)] if is_needed else []
        self.runtime.set_program(_PROGRAM, [*rewrite, *operations])
        self._is_silent = is_silent
        self._fill()

    def run(self, steps: int) -> float:
        """Do steps on all ranks; return the time of one on the slowest, without rewriting [s]."""
        self.runtime.reset_timers()
        self.barrier()
        started = time.perf_counter()
        self.runtime.advance([_PROGRAM], steps)
        elapsed = time.perf_counter() - started
        self.rewrites += steps if self.is_rewritten else 0
        spent = sum(t for label, _, _, t in self.runtime.timers() if label == _REWRITE)
        return self.slowest((elapsed - spent) / steps)

    def sample(self, settings: Settings) -> Times:
        """Measure a step, then verify that every value that should have travelled is right."""
        times = sample(self.run, settings.repetitions, settings.budget_s)
        if not self._is_silent:
            self.verify()
        return times

    def seconds(self, kind: str, label: str) -> float:
        """Return this rank's mean time of an operation since the last run began [s]."""
        found = [(n, t) for name, k, n, t in self.runtime.timers() if (k, name) == (kind, label)]
        return sum(t for _, t in found) / max(1, sum(n for n, _ in found))

    def barrier(self) -> None:
        """Wait for all ranks."""
        if self.job.communicator is not None:
            self.job.communicator.Barrier()

    def slowest(self, seconds: float) -> float:
        """Return the greatest of all ranks' times."""
        if self.job.communicator is None:
            return seconds
        from mpi4py import MPI

        found: float = self.job.communicator.allreduce(seconds, op=MPI.MAX)
        return found

    def verify(self) -> None:
        """Compare what has arrived with what its owner has written last.

        Raises:
            HaloclineError: A value differs.
        """
        self.barrier()
        halos = {"upper": 0, "lower": -1}
        for way in self.ways:
            if way.target != self.job.rank:
                continue
            found = self._view().take(halos[way.side], axis=self.axis)
            expected = self._layer_of(way).take(0, axis=self.axis) + self.rewrites
            wrong = int(np.count_nonzero(found != expected))
            if wrong:
                raise HaloclineError(
                    f"{wrong} of {found.size} values that rank {way.source} sent to rank "
                    f"{way.target} are wrong: the result of the benchmark does not count."
                )

    def _layer_of(self, way: Way) -> NDArray[Any]:
        return _pattern(way.source, self._position(way), self.layer, self.dtype)

    def _fill(self) -> None:
        """Give every layer that is sent its values, which tell rank and place."""
        view = np.moveaxis(self._view(), self.axis, 0)
        for way in self.ways:
            if way.source == self.job.rank:
                view[self._position(way) + 1] = self._layer_of(way).take(0, axis=self.axis)
        self.rewrites = 0
        self.barrier()

    def _position(self, way: Way) -> int:
        """Return where in its source's box a layer lies."""
        return 0 if way.side == "lower" else self.extent[self.axis] - 1

    def _view(self) -> NDArray[Any]:
        values: NDArray[Any] = self.runtime.view(self.slot, 0)[0]
        return values


def _pattern(rank: int, layer: int, extent: Cell, dtype: str) -> NDArray[Any]:
    numbers = np.arange(prod(extent)) * 7 + rank * 31 + layer * 13
    return (numbers % _LARGEST_VALUE).astype(dtype).reshape(extent)


def _with(cell: Cell, axis: int, value: int) -> Cell:
    x, y, z = (value if n == axis else old for n, old in enumerate(cell))
    return x, y, z


def _plus(a: Cell, b: Cell) -> Cell:
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def exchange(number: int) -> list[Operation]:
    """Return the operations that start an exchange and wait for it."""
    return [_core.Start(number), _core.Wait(number)]


def block_box(lower: Cell, upper: Cell) -> _core.BlockBox:
    """Return cells of the first block."""
    return _core.BlockBox(0, _core.Box(lower, upper))


def add_kernel(runtime: _core.Runtime, name: str, address: int, slot: int) -> int:
    """Add a kernel of one field to a runtime and return its number."""
    return runtime.add_kernel(_core.Kernel(name, address, [slot], [], stream=False))


@hc.kernel
def increase(values):  # type: ignore[no-untyped-def] # noqa: ANN001, ANN201
    """Write a value that was not there before."""
    values[0, 0, 0] = values[0, 0, 0] + 1.0


# Libraries must live as long as a runtime may call them.
_COMPILED: dict[tuple[str, str], CompiledKernels] = {}


def kernel_of(job: Job, function: Any, dtype: str) -> Kernel:
    """Return a kernel of one field, compiled for a type of values; all ranks must call it."""
    return next(iter(_compiled(job, function, dtype).entries))


def address_of(job: Job, function: Any, dtype: str) -> int:
    """Return the address of a kernel of one field; all ranks must call it."""
    return _compiled(job, function, dtype).address(kernel_of(job, function, dtype))


def _compiled(job: Job, function: Any, dtype: str) -> CompiledKernels:
    key = (function.name, dtype)
    if key not in _COMPILED:
        grid = hc.Grid((1, 1, 1))
        plan = plan_for(grid, [function(grid.field("values", dtype=dtype))], check_every=0)
        _COMPILED[key] = compile_kernels([plan], "c++", job)
    return _COMPILED[key]
