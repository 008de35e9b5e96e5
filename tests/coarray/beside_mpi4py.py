"""Coarrays and mpi4py in one program, whichever comes first.

mpiexec -n N python beside_mpi4py.py mpi4py.MPI halocline.coarray     (or the other way round)
"""

from __future__ import annotations

import atexit
import sys
from importlib import import_module

modules = sys.modules


def at_the_end() -> None:
    assert not modules["mpi4py.MPI"].Is_finalized()
    print("MPI lives\n", end="", flush=True)


# Whoever registers first is called last.
atexit.register(at_the_end)
for name in sys.argv[1:3]:
    import_module(name)
    assert "mpi4py.MPI" not in modules or modules["mpi4py.MPI"].Is_initialized()
MPI, ca = modules["mpi4py.MPI"], modules["halocline.coarray"]


if __name__ == "__main__":
    world = MPI.COMM_WORLD
    assert (world.rank + 1, world.size) == (ca.this_image(), ca.num_images())
    with ca.allocate(1, int) as a:
        a[ca.num_images()].atomic_add(0, world.rank)
        ca.sync_all()
        assert world.allreduce(a.here[0]) == sum(range(world.size))
    sys.exit(3)
