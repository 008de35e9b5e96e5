"""Programs in which ranks do not do the same, in one way each; and some in which they may.

mpiexec -n N python apart.py WAY
"""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import numpy as np

import halocline as hc
from halocline.errors import DivergedError, HaloclineError
from halocline.io import checkpoint


@hc.kernel
def heat(T, T_new, *, a):
    T_new[0, 0] = T[0, 0] + a * hc.laplacian(T)


@hc.kernel
def cool(T, T_new, *, a):
    T_new[0, 0] = T[0, 0] - a * T[1, 0]


def rank() -> int:
    from mpi4py import MPI

    return MPI.COMM_WORLD.rank


def make(*more, kernel=heat, a=0.1, dtype="float64", **options):
    given = {"extent": (8, 6), "periodic": True, "spacing": 1.0}
    grid = hc.Grid(**{name: options.pop(name, value) for name, value in given.items()})
    T, T_new = grid.field("T", dtype=dtype), grid.field("T_new", dtype=dtype)
    T.set(1.0)
    steps = [kernel(T, T_new, a=a), hc.swap(T, T_new), *more]
    options = {"strategy": hc.Strategy(), "threads": 1, "target": "numpy"} | options
    return hc.Simulation(grid, steps, **options)  # line: make


def run(simulation, steps=2) -> None:
    simulation.run(steps, progress=False)  # line: run


def check(simulation) -> None:
    assert simulation.reduce(hc.sum(simulation.grid.fields["T"])) == 48.0


def report_alone() -> None:
    if (simulation := make()).rank == 0:
        print(simulation.report())  # line: report


def gather_alone() -> None:
    simulation = make()
    run(simulation)
    if simulation.rank == 0:
        simulation.grid.fields["T"].gather()  # line: gather
    simulation.reduce(hc.sum(simulation.grid.fields["T"]))  # line: reduce


def reduce_alone() -> None:
    simulation = make()
    run(simulation)
    if simulation.rank == 1:
        print(simulation.reduce(hc.sum(simulation.grid.fields["T"])))  # line: reduce alone


def run_alone() -> None:
    simulation = make()
    if simulation.rank == 0:
        run(simulation)


def save_alone() -> None:
    simulation = make()
    run(simulation)
    if simulation.rank == 0:
        checkpoint.save(simulation, "never.npz")  # line: save


def leave() -> None:
    simulation = make()
    run(simulation)
    if simulation.rank == 1:
        sys.exit(0)
    run(simulation)


def leave_in_function() -> None:
    def act() -> None:
        if rank() == 1 and simulation.step == 2:
            sys.exit(0)  # line: exit

    simulation = make(act)
    run(simulation, 5)


def catch_and_wait() -> None:
    """The rank that is told catches it, and does something else for long."""
    simulation = make()
    try:
        if simulation.rank == 0:
            run(simulation)
    except HaloclineError:
        time.sleep(30)


def other_simulation() -> None:
    first, second = make(), make()
    run(first if rank() == 0 else second)


def other_field() -> None:
    simulation = make()
    run(simulation)
    simulation.grid.fields["T" if rank() == 0 else "T_new"].gather()  # line: fields


def function_fails_on_one() -> None:
    def act() -> None:
        if rank() == 1:
            raise ValueError("the coffee is cold")  # line: raise

    run(make(act))


def function_fails_on_one_who_catches_it() -> None:
    def act() -> None:
        if rank() == 1:
            raise ValueError("the coffee is cold")  # line: raise and catch

    try:
        run(make(act))
    except ValueError:
        time.sleep(30)


def gather_alone_in_function() -> None:
    def act() -> None:
        if rank() == 0:
            simulation.grid.fields["T"].gather()  # line: gather in function

    simulation = make(act)
    run(simulation)


def too_narrow_on_one() -> None:
    """An error of ours on one rank only, which catches it."""
    from halocline.errors import PlanError
    from halocline.plan import pipeline
    from halocline.plan.value.plan import Plan

    def refuse(plan, _rank):
        if rank() == 1:
            raise PlanError("A block is too narrow.", hint="Use fewer ranks.")  # line: narrow
        return plan

    refusing = pipeline.Pass("refusal", Plan, Plan, refuse, "Refuse on one rank.")
    pipeline.LOWERING = (*pipeline.LOWERING, refusing)
    simulation = make()
    try:
        run(simulation)
    except PlanError:
        time.sleep(30)


def parameter_no_number() -> None:
    def act() -> None:
        a.value = "abc"  # line: parameter

    a = hc.Parameter(0.1, "a")
    run(make(act, a=a))


def rebuild_alone() -> None:
    simulation = make()
    run(simulation)
    if rank() == 0:
        simulation.rebuild()  # line: rebuild alone


def rebuild_apart() -> None:
    simulation = make()
    run(simulation)
    simulation.rebuild(decomposition=("rows", "tiles")[min(rank(), 1)])  # line: rebuild


def rebuild_refused() -> None:
    """All catch what they are told, and go on where they were; then with other owners."""
    simulation = make()
    run(simulation)
    for decomposition in (("rows", "pencils")[min(rank(), 1)], ("rows", (7, 1))[min(rank(), 1)]):
        try:
            simulation.rebuild(decomposition=decomposition)
        except HaloclineError:
            run(simulation)
        else:
            raise AssertionError
    cuts, periodic = simulation.decomposition.cuts, simulation.decomposition.periodic
    owners = tuple(reversed(range(simulation.size)))
    simulation.rebuild(decomposition=hc.Decomposition(cuts, periodic, simulation.size, owners))
    run(simulation)
    check(simulation)


def disagree(**differently) -> None:
    run(make(**{name: values[min(rank(), 1)] for name, values in differently.items()}))


def disagree_on_values() -> None:
    simulation = make()
    simulation.grid.fields["T"].set(np.full((8, 6), float(rank())))
    run(simulation)


def disagree_on_steps_done_once() -> None:
    simulation = make()
    T, T_new = (simulation.grid.fields[name] for name in ("T", "T_new"))
    simulation.execute(heat(T, T_new, a=0.1 if rank() == 0 else 0.2))  # line: execute


def disagree_on_parameter_done_once() -> None:
    simulation = make()
    T, T_new = (simulation.grid.fields[name] for name in ("T", "T_new"))
    a = hc.Parameter(0.1, "a")
    for value in (0.1, 0.2 + rank()):
        a.value = value
        simulation.execute(heat(T, T_new, a=a))  # line: execute again


def disagree_on_values_later() -> None:
    simulation = make()
    run(simulation)
    simulation.grid.fields["T"].set(float(rank()))
    run(simulation)


def boundary() -> None:
    simulation = make(periodic=False)
    T = simulation.grid.fields["T"]
    for side in ("x-", "x+") if rank() == 0 else ("x+", "x-"):
        T.boundary(side, hc.Dirichlet(0.0))
    run(simulation)


def steps() -> None:
    make().run(2 + rank(), progress=False)  # line: run steps


def disagree_on_parameter() -> None:
    a = hc.Parameter(0.1, "a")
    simulation = make(a=a)
    run(simulation)
    if rank() == 1:
        a.value = 0.5
    run(simulation)


def disagree_on_series() -> None:
    run(make(a=hc.Series([0.0, 10.0], [0.1, 0.1 + 0.1 * min(rank(), 1)], name="a")))


def disagree_on_formula() -> None:
    a = hc.Series([0.0, 10.0], [0.1, 0.1 + 0.1 * min(rank(), 1)], name="a")
    run(make(a=0.5 * a))


class ConvergedError(Exception):
    """What a user raises to end a run."""


def all_converge() -> None:
    def act() -> None:
        if simulation.step == 3 and not found:
            found.append(simulation.step)
            raise ConvergedError

    found: list[int] = []
    simulation = make(act)
    try:
        run(simulation, 10)
    except ConvergedError:
        run(simulation, 2)
    check(simulation)


def all_find_nan() -> None:
    def act() -> None:
        if rank() == 1 and not found:
            found.append(simulation.step)
            T.local()[0][0, 0] = np.nan

    found: list[int] = []
    simulation = make(act, check_every=1)
    T = simulation.grid.fields["T"]
    try:
        run(simulation, 5)
    except DivergedError:
        T.set(1.0)
    run(simulation, 5)
    check(simulation)


def parts() -> None:
    """Simulations of rank 0 alone and of the others, and one of all ranks beside them."""
    from mpi4py import MPI

    world = MPI.COMM_WORLD
    both = make()
    for _ in range(3):
        part = world.Split(min(world.rank, 1))
        alone = make(communicator=part)
        run(alone, 1 + min(world.rank, 1))
        run(both)
        check(alone)
        part.Free()
    check(both)


def slow() -> None:
    """Longer than anybody waits for anything."""
    simulation = make()
    run(simulation)
    if rank() == 0:
        time.sleep(7)
    run(simulation)
    check(simulation)


def report_after_run() -> None:
    simulation = make()
    run(simulation, 30)
    for _ in range(4):
        run(simulation, 1)
    if simulation.rank == 0:
        print(simulation.report())


def many() -> None:
    """More simulations than MPI has communicators."""
    for _ in range(700):
        simulation = make()
    run(simulation)


def killed() -> None:
    maps = Path("/proc/self/maps")
    if rank() == 0:
        shared = {line.split()[-1] for line in maps.read_text().splitlines() if "mpich_shm" in line}
        print(*shared, flush=True)
    run(make())
    if rank() == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(30)


def loop_fails_on_one() -> None:
    """Rank 1 fails and catches it while the others wait for its messages, in the time loop."""

    def fail(*_) -> None:
        raise RuntimeError("the device is lost")  # line: loop

    simulation = make()
    run(simulation)
    if rank() == 1:
        simulation._executor.runtime.advance = fail
    try:
        run(simulation)
    except RuntimeError:
        time.sleep(30)


WAYS = {
    name: function
    for name, function in globals().items()
    if callable(function) and getattr(function, "__module__", "") == "__main__"
}
# What the first rank is given, and all others.
DIFFERENCES = {
    "extent": {"extent": ((8, 6), (8, 8))},
    "spacing": {"spacing": (1.0, 2.0)},
    "dtype": {"dtype": ("float64", "float32")},
    "kernel": {"kernel": (heat, cool)},
    "number": {"a": (0.1, 0.2)},
    "dt": {"dt": (0.1, 0.2)},
    "strategy": {"strategy": ("auto", hc.Strategy())},
    "decomposition": {"decomposition": ("rows", "tiles")},
    "check_every": {"check_every": (0, 100)},
    "ranks_per_node": {"ranks_per_node": (None, 1)},
    "wrong": {"blocks": (1, 2.5)},
}

if __name__ == "__main__":
    way = sys.argv[1]
    if way in DIFFERENCES:
        disagree(**DIFFERENCES[way])
    else:
        WAYS[way]()
    print("reached the end")
