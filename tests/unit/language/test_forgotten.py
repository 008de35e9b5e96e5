"""What is forgotten by a program is freed, fields and all."""

from __future__ import annotations

import gc
import weakref

import halocline as hc


@hc.kernel
def add(u, *, by):
    u[0, 0] = u + by


def test_a_simulation_with_formulas_of_its_own_fields_is_freed():
    def once():
        u = hc.Grid((8, 8), periodic=True).field("u")
        total = hc.sum(u)
        simulation = hc.Simulation(
            u.grid, [total, add(u, by=2.0 * total + 1.0)], target="numpy", threads=1
        )
        simulation.run(1, progress=False)
        return [weakref.ref(one) for one in (simulation, u, total)]

    found = once()
    gc.collect()
    assert [one() for one in found] == [None] * 3
