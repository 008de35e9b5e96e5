"""What flows through a side of the domain is the content that a forest gains there."""

from __future__ import annotations

import numpy as np
import pytest
from unit.forests.test_forest_steps import balance, fluxes

import halocline as hc

POISON = hc.Strategy(poison=True)


@hc.kernel
def add_up(Fx, Fy, through_x, through_y):
    through_x[0, 0] = through_x[0, 0] + Fx[0, 0]
    through_y[0, 0] = through_y[0, 0] + Fy[0, 0]


class Plate:
    """A plate of 32 x 32 cells with its sides closed, or those across x alone; finer somewhere."""

    def __init__(self, refine, is_closed=(True, True)):
        self.forest = forest = hc.Forest(
            (32, 32), block=8, finest=2, refine=refine, periodic=[not one for one in is_closed]
        )
        self.T = forest.field("T")
        self.fluxes = [self._on_faces(f"F{a}", a, "flux") for a in "xy"]
        self.through = [self._on_faces(f"through_{a}", a, "none") for a in "xy"]

    def _on_faces(self, name, axis, coupling):
        return self.forest.field(name, location=f"{axis}_face", coupling=coupling)

    def simulated(self, strategy=POISON):
        k = hc.PerLevel(lambda level: 0.05 * 2**level)
        steps = [
            fluxes(self.T, *self.fluxes, k=k),
            add_up(*self.fluxes, *self.through),
            balance(self.T, *self.fluxes),
        ]
        return hc.Simulation(self.forest, steps, strategy=strategy)

    def content(self):
        levels = enumerate(self.T.levels)
        return sum(one.sum() / 4**level for level, field in levels for one in field.local())

    def gained(self):
        """Return what has flowed in through all sides."""
        total = 0.0
        for axis, field in enumerate(self.through):
            if self.forest.grid.periodic[axis]:
                continue
            for level, one in enumerate(field.levels):
                boxes = self.forest.leaves.boxes(level)
                values = np.moveaxis(one[...], axis, 0)
                for box in boxes:
                    along = slice(box.lower[1 - axis], box.upper[1 - axis])
                    for face, sign in ((0, 1), (values.shape[0] - 1, -1)):
                        if box.lower[axis] == face or box.upper[axis] == face:
                            total += sign * values[face, along].sum() / 4**level
        return total


def corner(x, y):
    return np.where(x * y < 9, 2, 0)


def high_sides(x, y):
    return np.where((x > 24) & (y > 20), 2, 0)


def inside(x, y):
    return np.where(np.hypot(x - 16, y - 16) < 4, 2, 0)


# The values at the sides, or what flows through them, or both.
SIDES = {
    "value": {"T": {"x-": 1.0, "x+": -0.5, "y-": 0.3, "y+": 0.0}},
    "flux": {"T": {"x-": 0.0, "x+": 0.0, "y-": 0.0, "y+": 0.0}, "F": {"x-": 0.01, "y+": -0.02}},
}


@pytest.mark.parametrize("given", SIDES)
@pytest.mark.parametrize("refine", [corner, high_sides, inside])
def test_content_changes_by_what_flows_through_walls(refine, given):
    plate = Plate(refine)
    for side, value in SIDES[given]["T"].items():
        plate.T.boundary(side, hc.Dirichlet(value))
    for side, value in SIDES[given].get("F", {}).items():
        plate.fluxes["xy".index(side[0])].boundary(side, hc.Dirichlet(value))
    plate.T.set(lambda x, y: 2.0 + np.sin(37.0 * x * x + 1) * np.cos(21.3 * y * y + 3 * x))
    simulation = plate.simulated()
    simulation.run(0, progress=False)
    before = plate.content()
    simulation.run(50, progress=False)
    change = plate.content() - before
    assert abs(change) > 1.0
    assert abs(change - plate.gained()) < 1e-13 * before


@pytest.mark.parametrize("refine", [corner, high_sides, inside])
def test_between_walls_heat_flows_evenly_through_all_levels(refine):
    plate = Plate(refine, is_closed=(True, False))
    plate.T.boundary("x-", hc.Dirichlet(1.0))
    plate.T.boundary("x+", hc.Dirichlet(0.0))
    plate.T.set(lambda x, y: 1 - x / 32 + 0 * y)
    plate.simulated().run(20, progress=False)
    for level, (T, F) in enumerate(zip(plate.T.levels, plate.fluxes[0].levels, strict=True)):
        right = (1 - (np.arange(T.space.extent[0]) + 0.5) / T.space.extent[0])[:, None]
        for box in map(F.space.with_closing, plate.forest.leaves.boxes(level)):
            cells = box.slices((0, 0))
            assert np.allclose(T[...][cells], right[cells[0]], atol=1e-13)
            assert np.allclose(F[...][cells], 0.05 / 32, rtol=1e-11)


def test_each_kernel_runs_on_the_blocks_of_a_level_those_on_sides_too():
    plate = Plate(corner)
    for field, sides in zip((plate.T, plate.fluxes[0]), SIDES["flux"].values(), strict=True):
        for side, value in sides.items():
            field.boundary(side, hc.Dirichlet(value))
    kinds = {launch.role.kind for launch in plate.simulated().plan.launches}
    assert kinds == {"leaf", "ghost", "covered"}
