"""The time of a D2Q9 step in a periodic box, in turns with a bare OpenMP loop over the same."""

from __future__ import annotations

import ctypes
import os
import statistics
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import halocline as hc
from halocline.analysis.cost import cost
from halocline.apps.lbm.kernels import collide_stream
from halocline.apps.lbm.velocity_set import velocity_set
from halocline.bench.settings import dtype_of
from halocline.bench.stepping import step_time
from halocline.bench.table import Benchmark, Chart, Column
from halocline.bench.times import Measured, Times
from halocline.codegen.source import Source
from halocline.errors import HaloclineError
from halocline.jit.build import build

if TYPE_CHECKING:
    from types import TracebackType

    from numpy.typing import NDArray

    from halocline.bench.settings import Settings

_EDGES = (128, 1024)
# Each turn lasts so many times the budget of a benchmark of messages.
_LONGER = 40
_FIRST_STEPS = 10
_OMEGA = 1.6
_ENTRIES = ("d2q9_make", "d2q9_set", "d2q9_get", "d2q9_run", "d2q9_free")


class BareLoop:
    """The hand-written loop with its populations; to be used in a 'with' statement.

    Args:
        populations: First values (9, nx, ny), float64 or float32, in the order of 'velocity_set'.
        threads: OpenMP threads.
    """

    def __init__(self, populations: NDArray[Any], threads: int) -> None:
        self._shape, self._dtype = populations.shape, populations.dtype
        self._bytes = populations.dtype.itemsize
        self._library = _library()
        _, nx, ny = populations.shape
        self._box = ctypes.c_void_p(self._library.d2q9_make(self._bytes, nx, ny, threads))
        if not self._box:
            raise HaloclineError(
                f"There is not enough memory for {nx}x{ny} cells twice.",
                hint="Choose a smaller --size.",
            )
        rows = np.ascontiguousarray(populations.transpose(0, 2, 1))
        self._library.d2q9_set(self._box, self._bytes, rows.ctypes.data)

    def __enter__(self) -> BareLoop:
        """Return itself."""
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _e: BaseException | None, _t: TracebackType | None
    ) -> None:
        """Give the memory back."""
        self._library.d2q9_free(self._box, self._bytes)

    def run(self, steps: int) -> float:
        """Do steps; return the time of one [s]."""
        seconds: float = self._library.d2q9_run(self._box, self._bytes, _OMEGA, steps)
        return seconds / steps

    def populations(self) -> NDArray[Any]:
        """Return the populations as they are now (9, nx, ny)."""
        count, nx, ny = self._shape
        rows = np.empty((count, ny, nx), self._dtype)
        self._library.d2q9_get(self._box, self._bytes, rows.ctypes.data)
        return rows.transpose(0, 2, 1)


@cache
def _library() -> Any:
    """Return the compiled loop; a CompileError if there is no compiler."""
    text = Path(__file__).with_name("d2q9.cpp").read_text(encoding="utf-8")
    handle = build(Source("c++", text, _ENTRIES)).handle
    integer, pointer, double = ctypes.c_int64, ctypes.c_void_p, ctypes.c_double
    handle.d2q9_make.restype = pointer
    handle.d2q9_make.argtypes = [ctypes.c_int, integer, integer, ctypes.c_int]
    handle.d2q9_set.restype = handle.d2q9_get.restype = handle.d2q9_free.restype = None
    handle.d2q9_set.argtypes = handle.d2q9_get.argtypes = [pointer, ctypes.c_int, pointer]
    handle.d2q9_run.restype = double
    handle.d2q9_run.argtypes = [pointer, ctypes.c_int, double, integer]
    handle.d2q9_free.argtypes = [pointer, ctypes.c_int]
    return handle


@dataclass(frozen=True, slots=True, kw_only=True)
class D2Q9Row(Measured):
    """A step of Halocline beside one of the bare loop.

    Attributes:
        cells: Edge of the square.
        dtype: Element type of the populations.
        threads: OpenMP threads of both.
        bare: Time of a step of the bare loop.
        ratio: Halocline's time over that of the bare loop: minimum, median and maximum over turns.
    """

    cells: int
    dtype: str
    threads: int
    bare: Times
    ratio: tuple[float, float, float]

    @property
    def mlups(self) -> float:
        """Million cell updates a second of Halocline at the median."""
        return self.cells**2 / self.times.median_s / 1e6


def run(settings: Settings) -> list[D2Q9Row]:
    """Measure squares on one thread and on all cores.

    Raises:
        HaloclineError: The two do not come to the same numbers.
    """
    counts = dict.fromkeys((1, len(os.sched_getaffinity(0))))
    edges = settings.sizes or _EDGES
    return [
        _measure(cells, dtype_of(element), threads, settings)
        for cells, element, threads in product(edges, settings.element_bytes, counts)
    ]


def _measure(cells: int, dtype: str, threads: int, settings: Settings) -> D2Q9Row:
    lattice = velocity_set("D2Q9")
    grid = hc.Grid((cells, cells), periodic=True)
    f = grid.field("f", components=len(lattice), dtype=dtype)
    f_next = grid.field("f_next", components=len(lattice), dtype=dtype)
    call = collide_stream(f, f_next, velocity_set=lattice, omega=_OMEGA)
    simulation = hc.Simulation(grid, [call, hc.swap(f, f_next)], threads=threads, check_every=0)
    f.set(lambda x, y: [1e-3 * np.sin(i + 0.1 * x + 0.2 * y) for i in range(len(lattice))])
    simulation.run(0, progress=False)
    with BareLoop(_populations(f), threads) as bare:
        ours, theirs, steps = _take_turns(simulation, bare, settings)
        if not np.array_equal(_populations(f), bare.populations()):
            raise HaloclineError(
                f"{cells}² {dtype}, {threads} thread(s): Halocline and the bare loop came to "
                f"different numbers after {simulation.step} steps: their times do not count."
            )
    ratios = sorted(mine / bare for mine, bare in zip(ours, theirs, strict=True))
    return D2Q9Row(
        times=Times.of(ours, steps),
        moved_bytes=cost(call.kernel).bytes * cells**2,
        cells=cells,
        dtype=dtype,
        threads=threads,
        bare=Times.of(theirs, steps),
        ratio=(ratios[0], statistics.median(ratios), ratios[-1]),
    )


def _take_turns(
    simulation: hc.Simulation, bare: BareLoop, settings: Settings
) -> tuple[list[float], list[float], int]:
    """Return the times of a step of both, and in how many steps at a time they were measured.

    In turns, so that a slow minute of the machine falls upon both alike.
    """
    for first in (_FIRST_STEPS, _FIRST_STEPS):
        took = max(step_time(simulation, first), bare.run(first))
    steps = max(_FIRST_STEPS, int(_LONGER * settings.budget_s / took))
    ours, theirs = [], []
    for _ in range(settings.repetitions):
        ours.append(step_time(simulation, steps))
        theirs.append(bare.run(steps))
    return ours, theirs, steps


def _populations(f: Any) -> NDArray[Any]:
    return np.array(f.gather())


BENCHMARK = Benchmark(
    "d2q9",
    "D2Q9 in a periodic box, in turns with a bare OpenMP loop over the same arithmetic.",
    run,
    (
        Column("square", lambda row: f"{row.cells}²"),
        Column("type", lambda row: row.dtype),
        Column("threads", lambda row: str(row.threads)),
        Column("min us", lambda row: f"{1e6 * row.times.min_s:.2f}"),
        Column("median us", lambda row: f"{1e6 * row.times.median_s:.2f}"),
        Column("bare min", lambda row: f"{1e6 * row.bare.min_s:.2f}"),
        Column("bare median", lambda row: f"{1e6 * row.bare.median_s:.2f}"),
        Column("MLUPS", lambda row: f"{row.mlups:.1f}"),
        Column("GB/s", lambda row: f"{row.bytes_per_s / 1e9:.1f}"),
        Column("ratio min", lambda row: f"{row.ratio[0]:.3f}"),
        Column("median", lambda row: f"{row.ratio[1]:.3f}"),
        Column("max", lambda row: f"{row.ratio[2]:.3f}"),
    ),
    Chart(
        x=lambda row: f"{row.cells}² {row.dtype}",
        y=lambda row: row.ratio[1],
        series=lambda row: f"{row.threads} thread(s)",
        x_label="case",
        y_label="time over that of the bare loop",
    ),
    element_bytes=(8, 4),
)
