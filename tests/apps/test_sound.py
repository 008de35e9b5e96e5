"""Sound and shear travel alike along axes and diagonals, as fast and as long as they should."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import halocline as hc
from halocline.lbm import Setup, bgk, make_flow, trt

TAU = 0.6
VISCOSITY = (TAU - 0.5) / 3.0
SOUND = 3.0**-0.5
WAVELENGTH = 32
SMALL = 1e-6
APART = 4  # steps of a simulation between two looks
WAYS = {
    "D2Q9": ((1, 0), (1, 1)),
    "D3Q15": ((0, 0, 1), (1, 1, 1)),
    "D3Q19": ((0, 1, 0), (1, 1, 0), (1, 1, 1)),
    "D3Q27": ((1, 0, 0), (1, 0, 1), (1, 1, 1)),
}
CASES = [(name, way) for name, ways in WAYS.items() for way in ways]


@cache
def wave(name, way, streaming, collision, *, is_shear):
    """Follow a plane wave along a direction for three periods of sound.

    Returns:
        Wavenumber, and every so many lattice steps the complex amplitude over the first one; for
        shear that of the velocity along the crests.
    """
    length = np.linalg.norm(way)
    n = round(WAVELENGTH * length)
    extent = tuple(n if step else 4 for step in way)
    k = 2 * np.pi / n * np.array(way)
    along = np.array(way) / length
    across = np.zeros(len(way))
    across[:2] = (-along[1], along[0]) if any(along[:2]) else (1.0, 0.0)
    across /= np.linalg.norm(across)
    flow = make_flow(Setup(extent, name, 1.0 / TAU, collision, streaming=streaming))
    simulation = hc.Simulation(flow.grid, flow.steps, dt=flow.dt, threads=1, check_every=0)

    def crests(*x):
        return np.cos(sum(a * b for a, b in zip(k, x, strict=True)))

    def times(factor, shape):
        return lambda *x: factor * shape(*x)

    def slopes(*x):
        return -np.sin(sum(a * b for a, b in zip(k, x, strict=True)))

    speeds = SMALL * (across if is_shear else SOUND * along)
    flow.start(
        1.0 if is_shear else lambda *x: 1.0 + SMALL * crests(*x),
        [times(u, crests) for u in speeds],
        [[times(u * a, slopes) for a in k] for u in speeds],
    )
    places = np.ix_(*(np.arange(m) + 0.5 for m in extent))
    phase = np.exp(-1j * sum(a * b for a, b in zip(k, places, strict=True)))

    def amplitude():
        simulation.execute(flow.observe)
        moves = across if is_shear else along
        found = sum(a * u for a, u in zip(moves, flow.velocity.gather(), strict=True))
        if not is_shear:
            # Without the little that has begun to travel the other way.
            found = found + SOUND * (flow.density.gather() - 1.0)
        return np.mean(found * phase)

    found = []
    for _ in range(round(3 * n / length / SOUND / flow.lattice_steps / APART)):
        found.append(amplitude())
        simulation.run(APART, progress=False)
    return np.linalg.norm(k), flow.lattice_steps * APART, np.array(found) / found[0]


def rates(name, way, *, is_shear, streaming="two-grids", collision=bgk):
    """Return frequency and decay of a wave over what they should be."""
    k, apart, found = wave(name, way, streaming, collision, is_shear=is_shear)
    time = np.arange(len(found)) * apart
    decay = -np.polyfit(time, np.log(np.abs(found)), 1)[0] / (VISCOSITY * k**2)
    turning = -np.polyfit(time, np.unwrap(np.angle(found)), 1)[0] / (SOUND * k)
    return turning, decay


@pytest.mark.parametrize(("name", "way"), CASES)
def test_sound_is_as_fast_and_decays_as_it_should_in_every_direction(name, way):
    speed, decay = rates(name, way, is_shear=False)
    assert speed == pytest.approx(1.0, abs=0.002)
    # The lattice with the fewest links is the least isotropic: 1.26 % here, at second order.
    assert decay == pytest.approx(1.0, abs=0.015 if name == "D3Q15" else 0.01)


@pytest.mark.parametrize(("name", "way"), CASES)
def test_shear_decays_with_the_viscosity_in_every_direction(name, way):
    _, decay = rates(name, way, is_shear=True)
    assert decay == pytest.approx(1.0, abs=0.005)


def test_sound_is_the_same_in_place_and_with_two_relaxation_times():
    for more in ({"streaming": "in-place"}, {"collision": trt()}):
        speed, decay = rates("D2Q9", (1, 0), is_shear=False, **more)
        assert speed == pytest.approx(1.0, abs=0.002)
        assert decay == pytest.approx(1.0, abs=0.01)
