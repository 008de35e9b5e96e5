"""The time of a D2Q9 step in a periodic box, in turns with a bare OpenMP loop over the same."""

from __future__ import annotations

import ctypes
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

import halocline as hc
from halocline.analysis.cost import cost
from halocline.bench.benchmark import Benchmark
from halocline.bench.handwritten import INTEGER, NUMBER, POINTER, REAL, Handwritten, load_source
from halocline.bench.settings import Settings, dtype_of
from halocline.bench.stepping import step_time
from halocline.bench.times import Times
from halocline.errors import HaloclineError
from halocline.io.results import Chart, Row
from halocline.language.grids.fields import Field
from halocline.lbm import collide_stream, velocity_set

if TYPE_CHECKING:
    from numpy.typing import NDArray

_EDGES = (128, 1024)
# Each turn lasts so many times the budget of a benchmark of messages.
_LONGER = 40
_FIRST_STEPS = 10
_OMEGA = 1.6


class BareLoop(Handwritten):
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

    def free(self) -> None:
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
    return load_source(
        "d2q9.cpp",
        {
            "d2q9_make": (POINTER, NUMBER, INTEGER, INTEGER, NUMBER),
            "d2q9_set": (None, POINTER, NUMBER, POINTER),
            "d2q9_get": (None, POINTER, NUMBER, POINTER),
            "d2q9_run": (REAL, POINTER, NUMBER, REAL, INTEGER),
            "d2q9_free": (None, POINTER, NUMBER),
        },
    )


def periodic_lattice(
    name: str, extent: tuple[int, ...], dtype: str
) -> tuple[hc.Grid, tuple[Any, ...], Field]:
    """Return a periodic grid, a step of a velocity set on it, and its populations."""
    lattice, grid = velocity_set(name), hc.Grid(extent, periodic=True)
    count = len(lattice)
    f, f_next = (grid.field(n, components=count, dtype=dtype) for n in ("f", "f_next"))

    def values(*x: Any) -> list[Any]:
        # Deviations from rest that differ in every cell and are the same on any ranks.
        place = sum(0.1 * (n + 1) * c for n, c in enumerate(x))
        return [1e-3 * np.sin(i + place) for i in range(count)]

    f.set(values)
    call = collide_stream(f, f_next, velocity_set=lattice, omega=_OMEGA)
    return grid, (call, hc.swap(f, f_next)), f


def run(settings: Settings) -> list[Row]:
    """Measure squares on one thread and on all cores.

    Raises:
        HaloclineError: The two do not come to the same numbers.
    """
    dtypes, counts = map(dtype_of, settings.element_bytes), dict.fromkeys((1, settings.cores))
    every = product(settings.sizes or _EDGES, dtypes, counts)
    return [_measure(cells, dtype, threads, settings) for cells, dtype, threads in every]


def _measure(cells: int, dtype: str, threads: int, settings: Settings) -> Row:
    """Return a row: times of a step of both, and ours over those of the bare loop, by turns."""
    grid, steps, f = periodic_lattice("D2Q9", (cells, cells), dtype)
    simulation = hc.Simulation(grid, steps, threads=threads, check_every=0)
    simulation.run(0, progress=False)
    with BareLoop(_populations(f), threads) as bare:
        ours, theirs, count = _take_turns(simulation, bare, settings)
        if not np.array_equal(_populations(f), bare.populations()):
            raise HaloclineError(
                f"{cells}² {dtype}, {threads} thread(s): Halocline and the bare loop came to "
                f"different numbers after {simulation.step} steps: their times do not count."
            )
    times, loop = Times.of(ours, count), Times.of(theirs, count)
    ratio = Times.of(mine / bare for mine, bare in zip(ours, theirs, strict=True))
    return {
        "square": f"{cells}²",
        "type": dtype,
        "threads": threads,
        "steps": count,
        **times.columns(),
        **{f"bare {name}": value for name, value in loop.columns().items()},
        "MLUPS": cells**2 / times.median_s / 1e6,
        "GB/s": times.gigabytes_per_s(cost(steps[0].kernel).bytes * cells**2),
        "ratio min": ratio.min_s,
        "ratio": ratio.median_s,
        "ratio max": ratio.max_s,
    }


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
    Chart(("square", "type"), "ratio", ("threads",)),
    element_bytes=(8, 4),
)
