"""Every transport on the ranks this was started with; rank 0 writes what was found as JSON.

mpiexec -n N python transports.py WHAT OUTPUT RANKS_PER_NODE
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import socket
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

import numpy as np
import stencils
from parallel.fill_coordinates import expected, look

import halocline as hc
from halocline.errors import HaloclineError
from halocline.runtime import _core
from halocline.runtime.job import join

BETWEEN_NODES = ("two-sided", "persistent", "datatype", "put", "get")
ON_A_NODE = ("shared", "shared-push")
LATENCY_S = 0.02
STEPS = 7


def transports(ranks_per_node: int) -> tuple[str, ...]:
    """Return what can be used between any two of these ranks."""
    is_one_node = join().size <= ranks_per_node
    return ("auto", *BETWEEN_NODES, *(ON_A_NODE if is_one_node else ()))


def coordinates(ranks_per_node: int) -> dict[str, bool]:
    """Return for each transport whether every halo cell has come from where it should."""
    found = {}
    for transport in transports(ranks_per_node):
        for neighbours in ("direct", "staged"):
            strategy = hc.Strategy(transport=transport, neighbours=neighbours, poison=True)
            seen = look(strategy=strategy, threads=1, ranks_per_node=ranks_per_node)
            found[f"{transport} {neighbours}"] = bool(np.array_equal(seen, expected()))
    return found


def swaps(ranks_per_node: int) -> dict[str, int]:
    """Return the checksum of fields that are swapped in every step, for each transport."""
    found = {}
    for name in ("heat 2-D", "cavity 3-D"):
        for transport in transports(ranks_per_node):
            problem = stencils.make(name, "first", "float64")
            strategy = hc.Strategy(transport=transport, poison=True)
            stencils.run(
                problem, STEPS, strategy=strategy, threads=1, ranks_per_node=ranks_per_node
            )
            found[f"{name} {transport}"] = stencils.checksum(problem)
    return found


def link(ranks_per_node: int) -> dict[str, dict[str, float]]:
    """Return checksum and time of a step [s] on a link of 20 ms, for each transport."""
    found = {}
    for transport in ("auto", *BETWEEN_NODES):
        problem = stencils.make("heat 2-D", "first", "float64")
        stencils.fill(problem)
        simulation = hc.Simulation(
            problem.grid,
            problem.steps,
            strategy=hc.Strategy(transport=transport),
            threads=1,
            ranks_per_node=ranks_per_node,
            link=f"L={LATENCY_S},G=0",
        )
        simulation.run(1, progress=False)
        started = time.perf_counter()
        simulation.run(STEPS - 1, progress=False)
        seconds = (time.perf_counter() - started) / (STEPS - 1)
        slowest = max(simulation.communicator.allgather(seconds))
        found[transport] = {"crc": stencils.checksum(problem), "seconds": slowest}
        found[transport]["report"] = str(simulation.report())
    return found


def windows(ranks_per_node: int) -> bool:
    """Return whether many simulations that put and get can follow each other."""
    for number in range(30):
        problem = stencils.make("heat 1-D", "all", "float64")
        strategy = hc.Strategy(transport=("put", "get")[number % 2])
        stencils.run(problem, 1, strategy=strategy, threads=1, ranks_per_node=ranks_per_node)
    return True


def windows_of_some(ranks_per_node: int) -> list[int]:
    """Return what rank 0 has mapped after 10 and after 30 simulations on two of the ranks."""
    mapped = []
    some = join().communicator.Split(join().rank // 2)
    for _ in range(30):
        problem = stencils.make("heat 1-D", "all", "float64")
        simulation = hc.Simulation(
            problem.grid,
            problem.steps,
            strategy=hc.Strategy(transport="put" if some.size > 1 else "auto"),
            communicator=some,
            ranks_per_node=ranks_per_node,
        )
        stencils.fill(problem)
        simulation.run(1, progress=False)
        del simulation, problem
        gc.collect()
        mapped.append(len(Path("/proc/self/maps").read_text(encoding="utf-8").splitlines()))
    return [mapped[9], mapped[29]]


class Ring:
    """A field on a ring of blocks, one a rank, driven without a plan.

    The cell beyond the low side comes from the rank before, the one beyond the high side from the
    rank after. All cells of a rank hold its number, plus 100 for every swap.
    """

    def __init__(self, ways: tuple[str, str], ranks_per_node: int, link: str | None = None):
        self.job = join(ranks_per_node=ranks_per_node, link=link)
        self.rank, self.size = self.job.rank, self.job.size
        self.before, self.after = (self.rank - 1) % self.size, (self.rank + 1) % self.size
        self.ways = ways
        self.runtime = _core.Runtime(1, self.job.transport)
        self.box = _core.Box((4 * self.rank, 0, 0), (4 * self.rank + 4, 3, 2))
        self.runtime.add_block(self.runtime.add_space(), self.box)
        self.slots = [
            self.runtime.add_field(_core.Field(name, "float64", 1, (1, 0, 0), (1, 0, 0)))
            for name in "fg"
        ]
        self.values = [self.runtime.view(slot, 0)[0] for slot in self.slots]
        for number, values in enumerate(self.values):
            values[1:-1] = self.rank + 100 * number
        self.kernels = []

    def message(self, other: int, tag: int, here: int, there: int) -> _core.Message:
        row = [self.slots[0], self.slots[0], 0, 0, here, 0, 0, 0, there, 0, 0, 1, 3, 2]
        return _core.Message(other, tag, _core.TransportKind[self._way(other)], np.array([row]))

    def rim(self, kernel: int, label: str) -> _core.Run:
        """Return what runs a kernel on all cells of the rank."""
        return _core.Run(kernel, label, [_core.BlockBox(0, self.box)])

    def upwards(self) -> tuple[list, list]:
        """Return sends and receives of what moves to the next rank; tag 1."""
        low, high = 4 * self.rank, 4 * self.rank + 4
        sends = [self.message(self.after, 1, high - 1, 4 * self.after - 1)]
        receives = [self.message(self.before, 1, low - 1, 4 * self.before + 3)]
        return sends, receives

    def downwards(self) -> tuple[list, list]:
        """Return sends and receives of what moves to the rank before; tag 2."""
        low, high = 4 * self.rank, 4 * self.rank + 4
        sends = [self.message(self.before, 2, low, 4 * self.before + 4)]
        receives = [self.message(self.after, 2, high, 4 * self.after)]
        return sends, receives

    def _way(self, other: int) -> str:
        return self.ways[0 if self.job.is_near(other) else 1]

    def noting(self, name: str, seen: list[str]) -> int:
        """Return a kernel that notes its name."""
        kernel = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda _: seen.append(name))
        self.kernels.append(kernel)
        address = ctypes.cast(kernel, ctypes.c_void_p).value
        return self.runtime.add_kernel(_core.Kernel(name, address, [self.slots[0]], []))

    def is_right(self, swaps: int) -> bool:
        """Return whether the halo of the field that is in slot 0 now holds the neighbours."""
        values = self.values[swaps % 2]
        expected = 100 * (swaps % 2)
        low, high = self.before + expected, self.after + expected
        return bool((values[0] == low).all() and (values[-1] == high).all())


def in_flight(ranks_per_node: int) -> dict[str, bool]:
    """Return for each transport whether two exchanges at once, and swaps, go well on all ranks."""
    found = {}
    for way in transports(ranks_per_node)[1:]:
        ring = Ring((way, way), ranks_per_node)
        runtime = ring.runtime
        first = runtime.add_exchange(_core.Exchange("up", *ring.upwards()))
        second = runtime.add_exchange(_core.Exchange("down", *ring.downwards()))
        runtime.connect()
        rim = ring.rim(ring.noting("rim", []), "rim")
        runtime.set_program(
            "step",
            [
                _core.Start(first),
                _core.Start(second),
                _core.Poll(first),
                _core.WaitAny(second, [_core.Piece([0], rim)]),
                _core.Wait(first),
                _core.Swap(*ring.slots),
            ],
        )
        good = []
        for swaps in range(5):
            runtime.advance(["step"], 1)
            good.append(ring.is_right(swaps))
        found[way] = all(ring.job.communicator.allreduce(good))
    return found


def arrival(ranks_per_node: int) -> dict[str, list]:
    """Return in which order each rank works if one of its messages comes from another node."""
    found = {}
    for way in BETWEEN_NODES:
        ring = Ring(("shared", way), ranks_per_node, f"L={LATENCY_S},G=0")
        up, down = ring.upwards(), ring.downwards()
        both = _core.Exchange("both", up[0] + down[0], up[1] + down[1])
        number = ring.runtime.add_exchange(both)
        ring.runtime.connect()
        seen: list[str] = []
        pieces = [
            _core.Piece(messages, ring.rim(ring.noting(name, seen), name))
            for name, messages in (("last", [0, 1]), ("low", [0]), ("high", [1]))
        ]
        ring.runtime.set_program("step", [_core.Start(number), _core.WaitAny(number, pieces)])
        ring.runtime.advance(["step"], 1)
        ring.job.communicator.Barrier()
        found[way] = ring.job.communicator.allgather((seen, ring.is_right(0)))
    return found


def far(ranks_per_node: int) -> dict[str, str]:
    """Return what is said when ranks of different nodes are to share memory."""
    found = {}
    for transport in ON_A_NODE:
        problem = stencils.make("heat 2-D", "all", "float64")
        strategy = hc.Strategy(transport=transport)
        try:
            stencils.run(problem, 1, strategy=strategy, threads=1, ranks_per_node=ranks_per_node)
        except HaloclineError as error:
            found[transport] = str(error)
    return found


def unmapped(ranks_per_node: int) -> dict[str, str]:
    """Return what is said when the memory of rank 0 cannot be opened, as in another container."""
    from halocline.runtime import executor

    connect = executor.Executor._connect
    nobody = socket.socket()

    def fail(self: executor.Executor, transport: str) -> None:
        if self.job.rank == 0:
            links = [link for link in Path("/proc/self/fd").iterdir() if link.is_symlink()]
            for link in links:
                if "memfd:halocline" in str(link.readlink()):
                    # Closed, the number would soon stand for another file.
                    os.dup2(nobody.fileno(), int(link.name))
        connect(self, transport)

    executor.Executor._connect = fail
    problem = stencils.make("heat 2-D", "all", "float64")
    try:
        stencils.run(problem, 1, strategy=hc.Strategy(), threads=1, ranks_per_node=ranks_per_node)
    except HaloclineError as error:
        return {"error": str(error)}
    return {}


def main() -> None:
    what, output, ranks_per_node = sys.argv[1:4]
    found = globals()[what](int(ranks_per_node))
    if join().rank == 0:
        Path(output).write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    main()
