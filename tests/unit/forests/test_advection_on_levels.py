"""A cloud carried through two levels keeps its content, and comes back to second order."""

from __future__ import annotations

import numpy as np

import halocline as hc

POISON = hc.Strategy(poison=True)


def face(T, axis):
    a, b, c = (hc.at(T, **{axis: offset}) for offset in (-2, -1, 0))
    return (5 * b + 2 * c - a) * (1 / 6)


@hc.kernel
def predict(T, T1):
    x, y = face(T, "x"), face(T, "y")
    T1[0, 0] = T[0, 0] - 0.25 * (hc.at(x, x=1) - x + hc.at(y, y=1) - y)


@hc.kernel
def flow(T, T1, Fx, Fy):
    Fx[0, 0] = 0.125 * (face(T, "x") + face(T1, "x"))
    Fy[0, 0] = 0.125 * (face(T, "y") + face(T1, "y"))


@hc.kernel
def carry(T, Fx, Fy):
    T[0, 0] = T[0, 0] - (Fx[1, 0] - Fx[0, 0] + Fy[0, 1] - Fy[0, 0])


def around(cells, start, coupling="flux"):
    """Return the field after once around, and by how much its content has changed, relatively."""
    forest = hc.Forest(
        (cells, cells),
        block=cells // 4,
        refine=lambda x, y: (abs(x - 0.6) < 0.01) & (abs(y - 0.6) < 0.01),
        periodic=True,
        spacing=1 / cells,
    )
    T, T1 = forest.field("T"), forest.field("T1")
    F = [forest.field(f"F{a}", location=f"{a}_face", coupling=coupling) for a in "xy"]
    steps = [predict(T, T1), flow(T, T1, *F), carry(T, *F)]
    simulation = hc.Simulation(forest, steps, strategy=POISON, threads=1)
    T.set(start)
    before = simulation.reduce(hc.sum(T))
    simulation.run(4 * cells, progress=False)
    return T, abs(simulation.reduce(hc.sum(T)) / before - 1)


def cloud(x, y):
    return np.exp(-((x - 0.25) ** 2 + (y - 0.25) ** 2) / 0.01)


def test_content_stays_to_round_off():
    assert around(64, cloud)[1] < 1e-14


def test_without_flux_correction_content_changes():
    assert around(64, cloud, coupling="none")[1] > 1e-5


def test_a_constant_is_carried_to_itself():
    T, _ = around(64, 1.0)
    assert all(abs(a - 1).max() < 1e-13 for field in T.levels for a in field.local())


def test_a_cloud_comes_back_to_second_order():
    errors = []
    for cells in (64, 128):
        T, _ = around(cells, cloud)
        errors.append(
            max(
                np.abs(array - cloud(*field.coordinates(block.box))).max()
                for field in T.levels
                for block, array in zip(field.storage.blocks, field.local(), strict=True)
            )
        )
    assert errors[0] / errors[1] > 4
