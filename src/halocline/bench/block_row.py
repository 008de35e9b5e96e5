"""Blocks in a row: a small plan on every rank, executed by the same runtime as any simulation.

Each rank owns a block; the blocks stand in a row along an axis, with a halo one cell wide between
them. A message carries the outermost layer of one rank's block into the halo of another.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from halocline.bench.kernels import FIXED_POINT, add_kernel, compute, increase
from halocline.bench.settings import Settings, dtype_of
from halocline.bench.times import Times, sample
from halocline.errors import HaloclineError
from halocline.frozen import Frozen
from halocline.runtime import _core
from halocline.runtime.job import Job
from halocline.runtime.moves import rows_of_moves

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from halocline.runtime._core import Operation

Cell = tuple[int, int, int]
_ZERO: Cell = (0, 0, 0)

_REWRITE = "rewrite"
_PROGRAM = "step"
# Values are whole numbers below this before they are rewritten: exact also in float32.
_LARGEST_VALUE = 1021


class Message(Frozen):
    """A layer that is sent.

    Attributes:
        source: Rank that owns it.
        target: Rank into whose halo it goes.
        side: The side of the source's block where it lies: 'upper' goes to the target's lower halo.
    """

    source: int
    target: int
    side: Literal["lower", "upper"]


class BlockRow:
    """Blocks in a row, one a rank, with exchanges between them.

    Args:
        job: The ranks.
        extent: Cells of each rank's block.
        axis: Along which the blocks stand.
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
        self.layer = with_axis(extent, axis, 1)
        self.lower = with_axis(_ZERO, axis, job.rank * extent[axis])
        self.upper = plus(self.lower, extent)
        self.runtime = _core.Runtime(1, job.transport)
        self.runtime.add_block(self.runtime.add_space(), _core.Box(self.lower, self.upper))
        halo = with_axis(_ZERO, axis, 1)
        self.slot = self.runtime.add_field(_core.Field("values", self.dtype, 1, halo, halo))
        self._rewrite = add_kernel(self.runtime, job, increase, self.slot, self.dtype)
        self.is_rewritten = is_rewritten
        self.messages: list[Message] = []
        self.rewrites = 0
        self._tag = 0
        self._exchanges = 0
        self._is_connected = False
        self._is_silent = False

    def add_exchange(self, transport: str, messages: Sequence[Message], pieces: int = 1) -> int:
        """Add an exchange and return its number.

        Args:
            transport: What moves it.
            messages: The layers that travel.
            pieces: Into how many equal messages a layer is cut along x.
        """
        sends, receives = [], []
        for message in messages:
            for piece in range(pieces):
                row = self._row(message, piece, pieces)
                sent = (self._tag, _core.TransportKind[transport], row)
                if self.job.rank == message.source:
                    sends.append(_core.Message(message.target, *sent))
                if self.job.rank == message.target:
                    receives.append(_core.Message(message.source, *sent))
                self._tag += 1
        self.messages += messages
        self._exchanges += 1
        name = f"exchange {self._exchanges}"
        return self.runtime.add_exchange(_core.Exchange(name, sends, receives))

    def add_work(self, cells: int) -> tuple[int, Operation]:
        """Add a computation on values of its own that needs no memory bandwidth.

        Returns:
            The slot of its field, whose values stay at 'FIXED_POINT', and the operation.
        """
        slot = self.runtime.add_field(_core.Field("work", self.dtype, 1, _ZERO, _ZERO))
        kernel = add_kernel(self.runtime, self.job, compute, slot, self.dtype)
        self.runtime.view(slot, 0)[:] = FIXED_POINT
        box = block_box(self.lower, plus(self.lower, (cells, 1, 1)))
        return slot, _core.Run(kernel, "compute", [box])

    def _row(self, message: Message, piece: int, pieces: int) -> NDArray[np.int64]:
        """Return what is sent of the field as this rank sees it, in a row."""
        ends = (self._sent(message), self._received(message))
        mine, remote = ends if self.job.rank == message.source else ends[::-1]
        extent = with_axis(self.layer, 0, self.layer[0] // pieces)
        moved = (piece * extent[0], 0, 0)
        own, other = plus(mine, moved), plus(remote, moved)
        return rows_of_moves((self.slot, self.slot), 0, (0, *own), (0, *other), extent)

    def _sent(self, message: Message) -> Cell:
        """Return the first cell of the layer that its source owns."""
        return self._cell(message.source, self._position(message))

    def _received(self, message: Message) -> Cell:
        """Return the first cell of the halo that it goes to."""
        return self._cell(message.target, -1 if message.side == "upper" else self.extent[self.axis])

    def _cell(self, rank: int, position: int) -> Cell:
        return with_axis(_ZERO, self.axis, rank * self.extent[self.axis] + position)

    def set_program(self, operations: Sequence[Operation], *, is_silent: bool = False) -> None:
        """Say what a step does, besides rewriting first; after all exchanges were added.

        Args:
            operations: What is timed.
            is_silent: Whether no message is sent, so that none can be verified.
        """
        if not self._is_connected:
            self.runtime.connect()
        self._is_connected = True
        layers = dict.fromkeys(self._sent(m) for m in self.messages if m.source == self.job.rank)
        boxes = [block_box(lower, plus(lower, self.layer)) for lower in layers]
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
        are_exchanges = not self._is_silent
        times = sample(
            self.run, settings.repetitions, settings.budget_s, are_exchanges=are_exchanges
        )
        if not self._is_silent:
            self.verify()
        return times

    def seconds(self, kind: str, label: str) -> float:
        """Return this rank's mean time of an operation since the last run began [s]."""
        counts_and_times = [
            (n, t) for name, k, n, t in self.runtime.timers() if (k, name) == (kind, label)
        ]
        return sum(t for _, t in counts_and_times) / max(1, sum(n for n, _ in counts_and_times))

    def barrier(self) -> None:
        """Wait for all ranks."""
        if self.job.communicator is not None:
            self.job.communicator.Barrier()

    def slowest(self, seconds: float) -> float:
        """Return the greatest of all ranks' times."""
        return self.job.greatest([seconds])[0]

    def verify(self) -> None:
        """Compare what has arrived with what its owner has written last.

        Raises:
            HaloclineError: A value differs.
        """
        self.barrier()
        halos = {"upper": 0, "lower": -1}
        for message in self.messages:
            if message.target != self.job.rank:
                continue
            received = self._view().take(halos[message.side], axis=self.axis)
            expected = self._layer_of(message) + self.rewrites
            wrong = int(np.count_nonzero(received != expected))
            if wrong:
                raise HaloclineError(
                    f"{wrong} of {received.size} values that rank {message.source} sent to rank "
                    f"{message.target} are wrong: the result of the benchmark does not count."
                )

    def _layer_of(self, message: Message) -> NDArray[Any]:
        """Return the first values of a layer, which tell rank and place."""
        numbers = np.arange(prod(self.layer)) * 7 + message.source * 31
        numbers = (numbers + self._position(message) * 13) % _LARGEST_VALUE
        layer: NDArray[Any] = numbers.astype(self.dtype).reshape(self.layer).take(0, self.axis)
        return layer

    def _fill(self) -> None:
        """Give every layer that is sent its first values."""
        view = np.moveaxis(self._view(), self.axis, 0)
        for message in self.messages:
            if message.source == self.job.rank:
                view[self._position(message) + 1] = self._layer_of(message)
        self.rewrites = 0
        self.barrier()

    def _position(self, message: Message) -> int:
        """Return where in its source's block a layer lies."""
        return 0 if message.side == "lower" else self.extent[self.axis] - 1

    def _view(self) -> NDArray[Any]:
        values: NDArray[Any] = self.runtime.view(self.slot, 0)[0]
        return values


def with_axis(cell: Cell, axis: int, value: int) -> Cell:
    """Return a cell with another coordinate along an axis."""
    x, y, z = (value if n == axis else old for n, old in enumerate(cell))
    return x, y, z


def plus(a: Cell, b: Cell) -> Cell:
    """Return the sum of two cells."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def exchange(number: int) -> list[Operation]:
    """Return the operations that start an exchange and wait for it."""
    return [_core.Start(number), _core.Wait(number)]


def block_box(lower: Cell, upper: Cell) -> _core.BlockBox:
    """Return cells of the first block."""
    return _core.BlockBox(0, _core.Box(lower, upper))
