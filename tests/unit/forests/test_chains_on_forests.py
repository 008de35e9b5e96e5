"""Kernels after each other on a forest compute as far across borders as the last one asks for."""

from __future__ import annotations

import numpy as np
import pytest

import halocline as hc


@pytest.mark.parametrize("there", [(1, 0), (-1, 0), (1, -1), (0, 2)])
def test_values_computed_farther_away_than_those_they_are_made_of(there):
    corner = {"refine": lambda x, y: np.where((x < 8) & (y < 8), 1, 0), "finest": 1}
    forest = hc.Forest((16, 16), block=8, substeps=1, **corner)
    T, S, seen = (forest.field(name) for name in ("T", "S", "seen"))
    for field in (T, S):
        field.boundary(forest.sides, hc.Neumann(0.0))
    back = tuple(-n for n in there)

    @hc.kernel
    def look(T, S):
        S[0, 0] = T[there]

    @hc.kernel
    def use(S, T):
        T[0, 0] = 0.5 * T[0, 0] + S[back]

    @hc.kernel
    def move(T, seen):
        seen[0, 0] = T[back]

    T.set(lambda x, y: 2.0 * x - 3.0 * y)
    steps = [look(T, S), use(S, T), move(T, seen)]
    strategy = hc.Strategy(poison=True)
    hc.Simulation(forest, steps, strategy=strategy, threads=1, target="numpy").run(1)
    for level, width in enumerate((1.0, 0.5)):
        field = seen.level(level)
        x, y = np.meshgrid(
            *((np.arange(n) + 0.5) * width for n in field.grid.extent), indexing="ij"
        )
        is_leaf = ((x < 8) & (y < 8)) == bool(level)
        # Beside the sides of the domain a boundary says something else.
        inside = is_leaf & (np.minimum(x, y) > 4) & (np.maximum(x, y) < 12)
        expected = 1.5 * (2.0 * (x + back[0] * width) - 3.0 * (y + back[1] * width))
        assert np.allclose(field.gather()[inside], expected[inside], rtol=1e-13)
