"""The rate of D3Q19 BGK in a periodic box, beside the yardstick of the same minute."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
import zlib
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import halocline as hc
from halocline.analysis.cost import cost
from halocline.apps.lbm.kernels import collide_stream
from halocline.apps.lbm.velocity_set import velocity_set
from halocline.bench.yardstick import measure_memory
from halocline.errors import HaloclineError
from halocline.runtime.launcher import find_launcher

if TYPE_CHECKING:
    from collections.abc import Iterator

_CHUNK_S = 1.0
_OMEGA = 1.6


@dataclass(frozen=True, slots=True)
class Rate:
    """A measured rate.

    Attributes:
        cells: Edge of the cube.
        ranks: MPI ranks.
        threads: OpenMP threads a rank.
        dtype: Element type of the populations.
        bytes_a_cell: Bytes that must move for each update.
        mlups: Million cell updates a second: minimum, median and maximum of the repetitions.
        checksum: CRC-32 of the populations after the same number of steps: equal for any ranks
            and threads, or the result is wrong.
    """

    cells: int
    ranks: int
    threads: int
    dtype: str
    bytes_a_cell: int
    mlups: tuple[float, float, float]
    checksum: int

    @property
    def gigabytes_per_s(self) -> float:
        """Median traffic [GB/s]."""
        return self.mlups[1] * self.bytes_a_cell / 1e3


def measure(cells: int, threads: int, dtype: str, repetitions: int) -> Rate | None:
    """Measure in this job; the result is on rank 0 only.

    Raises:
        HaloclineError: Mass was not conserved.
    """
    lattice = velocity_set("D3Q19")
    grid = hc.Grid((cells, cells, cells), periodic=True)
    f = grid.field("f", components=len(lattice), dtype=dtype)
    f_next = grid.field("f_next", components=len(lattice), dtype=dtype)
    call = collide_stream(f, f_next, velocity_set=lattice, omega=_OMEGA)
    simulation = hc.Simulation(grid, [call, hc.swap(f, f_next)], threads=threads, check_every=0)
    f.set(lambda x, y, z: [1e-3 * ((x + 3 * y + 5 * z + i) % 7) for i in range(len(lattice))])
    masses = [hc.sum(f[i], name=f"mass_{i}") for i in range(len(lattice))]
    before = sum(simulation.reduce(mass) for mass in masses)
    simulation.run(2, progress=False)
    checksum = _checksum(simulation, f)
    rates = sorted(_rates(simulation, cells**3, repetitions))
    after = sum(simulation.reduce(mass) for mass in masses)
    tolerance = 1e-10 if dtype == "float64" else 1e-3
    if abs(after - before) > tolerance * cells**3:
        raise HaloclineError(f"Mass changed from {before} to {after}: the result is wrong.")
    if simulation.rank:
        return None
    summary = (rates[0], statistics.median(rates), rates[-1])
    moved = cost(call.kernel).bytes
    return Rate(cells, simulation.size, simulation.threads, dtype, moved, summary, checksum)


def _checksum(simulation: hc.Simulation, f: Any) -> int:
    """Return a checksum of all populations, on all ranks the same for any decomposition."""
    values = [simulation.reduce(hc.sum(f[i] * f[i])) for i in range(f.components)]
    return zlib.crc32(repr(values).encode())


def _rates(simulation: hc.Simulation, cells: int, repetitions: int) -> Iterator[float]:
    """Yield million cell updates a second of runs of about a second each."""
    steps = 4
    started = time.perf_counter()
    simulation.run(steps, progress=False)
    steps = max(4, int(steps * _CHUNK_S / (time.perf_counter() - started)))
    if simulation.communicator:
        steps = simulation.communicator.bcast(steps, root=0)
    for _ in range(repetitions):
        if simulation.communicator:
            simulation.communicator.Barrier()
        started = time.perf_counter()
        simulation.run(steps, progress=False)
        if simulation.communicator:
            simulation.communicator.Barrier()
        yield steps * cells / (time.perf_counter() - started) / 1e6


def measure_in_job(cells: int, ranks: int, threads: int, dtype: str, repetitions: int) -> Rate:
    """Measure in a job of its own.

    Raises:
        HaloclineError: The job failed; what it said is in the message.
    """
    program = [sys.executable, "-m", "halocline.bench.lbm"]
    arguments = [str(cells), str(threads), dtype, str(repetitions)]
    launcher = [*find_launcher(), "-n", str(ranks)] if ranks > 1 else []
    run = subprocess.run(
        [*launcher, *program, *arguments], capture_output=True, text=True, check=False
    )
    if run.returncode != 0:
        raise HaloclineError(f"The measurement failed: {run.stderr.strip()[-500:]}")
    found = json.loads(run.stdout)
    return Rate(**{**found, "mlups": tuple(found["mlups"])})


def bench_lbm(
    sizes: tuple[int, ...], dtypes: tuple[str, ...], repetitions: int
) -> Iterator[tuple[Rate, float]]:
    """Yield each rate with the yardstick of the same minute [GB/s].

    The yardstick copies 19 streams into 19 others past the cache, before and after.

    Raises:
        HaloclineError: Two ways of running the same case gave different bits.
    """
    cores = len(os.sched_getaffinity(0))
    for cells in sizes:
        for dtype in dtypes:
            checksums = set()
            for ranks in dict.fromkeys((1, cores)):
                yardsticks = [_yardstick(cells, cores)]
                rate = measure_in_job(cells, ranks, cores // ranks, dtype, repetitions)
                yardsticks.append(_yardstick(cells, cores))
                checksums.add(rate.checksum)
                yield rate, statistics.mean(yardsticks)
            if len(checksums) > 1:
                raise HaloclineError(f"{cells}³ {dtype}: ranks and threads gave different bits.")


def _yardstick(cells: int, threads: int) -> float:
    found = measure_memory(cells**3, threads, repetitions=5)
    median: float = found["copy_19_streamed"]["median"]
    return median


def main() -> None:
    """Measure with the arguments of 'measure_in_job' and print JSON."""
    cells, threads, dtype, repetitions = sys.argv[1:]
    rate = measure(int(cells), int(threads), dtype, int(repetitions))
    if rate is not None:
        print(json.dumps(asdict(rate)))


if __name__ == "__main__":
    main()
