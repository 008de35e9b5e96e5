"""Waves on staggered grids beside solutions of the discrete equations, known to rounding."""

from math import asin

import numpy as np
import pytest

import halocline as hc
from halocline.language.differences.fornberg import offsets, weights


def number(k, h, accuracy):
    """Return 2 / h times what a staggered difference makes of exp(i k x): its wave number."""
    points = offsets(1, accuracy, is_between=True)
    parts = zip(weights(1, points), points, strict=True)
    return sum(float(w) * np.sin(k * h * float(p)) for w, p in parts) / h


@hc.kernel
def magnetic(Ez, Hx, Hy, *, dt):
    Hx[0, 0] = Hx - dt * hc.d(Ez, "y")
    Hy[0, 0] = Hy + dt * hc.d(Ez, "x")


@hc.kernel
def electric(Ez, Hx, Hy, *, dt):
    Ez[0, 0] = Ez + dt * (hc.d(Hy, "x") - hc.d(Hx, "y"))


@pytest.mark.parametrize("blocks", [1, 3])
def test_light_in_a_box_of_perfect_conductors(blocks):
    n, m, h, dt, steps = 12, 20, 0.5, 0.25, 37
    grid = hc.Grid((n, m), spacing=h)
    Ez = grid.field("Ez", location="xy_edge")
    Hx, Hy = grid.field("Hx", location="x_face"), grid.field("Hy", location="y_face")
    for side in ("x-", "x+", "y-", "y+"):
        Ez.boundary(side, hc.Dirichlet(0.0))
    kx, ky = 2 * np.pi / (n * h), 3 * np.pi / (m * h)
    square = number(kx, h, 2) ** 2 + number(ky, h, 2) ** 2
    omega = 2 * asin(0.5 * dt * np.sqrt(square)) / dt

    def mode(x, y):
        return np.sin(kx * x) * np.sin(ky * y)

    # Ez begins at its largest; H is half a step before that.
    Ez.set(mode)
    Hx.set(lambda x, y: 0.5 * dt * number(ky, h, 2) * np.sin(kx * x) * np.cos(ky * y))
    Hy.set(lambda x, y: -0.5 * dt * number(kx, h, 2) * np.cos(kx * x) * np.sin(ky * y))
    steps_of = [magnetic(Ez, Hx, Hy, dt=dt), electric(Ez, Hx, Hy, dt=dt)]
    hc.Simulation(grid, steps_of, threads=1, blocks=blocks).run(steps, progress=False)
    x, y = Ez.coordinates(Ez.space.domain)
    assert np.abs(Ez.gather() - mode(x, y) * np.cos(omega * dt * steps)).max() < 1e-12


@pytest.mark.parametrize("accuracy", [2, 8])
@pytest.mark.parametrize("is_shear", [False, True])
def test_plane_elastic_waves(accuracy, is_shear):
    n, h, dt, steps, lame, mu, density = 24, 0.5, 0.1, 41, 2.0, 1.5, 1.25
    grid = hc.Grid((n, 5), periodic=True, spacing=h)
    u, v = grid.field("u", location="x_face"), grid.field("v", location="y_face")
    xx, yy, xy = grid.field("xx"), grid.field("yy"), grid.field("xy", location="xy_edge")

    def d(w, axis):
        return hc.d(w, axis, accuracy=accuracy)

    @hc.kernel
    def move(u, v, xx, yy, xy, *, b):
        u[0, 0] = u + b * (d(xx, "x") + d(xy, "y"))
        v[0, 0] = v + b * (d(xy, "x") + d(yy, "y"))

    @hc.kernel
    def strain(u, v, xx, yy, xy, *, first, second):
        xx[0, 0] = xx + (first + 2.0 * second) * d(u, "x") + first * d(v, "y")
        yy[0, 0] = yy + (first + 2.0 * second) * d(v, "y") + first * d(u, "x")
        xy[0, 0] = xy + second * (d(u, "y") + d(v, "x"))

    k = 2 * np.pi * 3 / (n * h)
    modulus = mu if is_shear else lame + 2 * mu
    along = number(k, h, accuracy)
    omega = 2 * asin(0.5 * dt * np.sqrt(modulus / density) * along) / dt
    moving, pulled = (v, xy) if is_shear else (u, xx)
    # At rest where stress is the largest; velocities are half a step before.
    pulled.set(lambda x, y: np.sin(k * x) + 0.0 * y)
    moving.set(lambda x, y: -0.5 * dt / density * along * np.cos(k * x) + 0.0 * y)
    update = move(u, v, xx, yy, xy, b=dt / density)
    strained = strain(u, v, xx, yy, xy, first=dt * lame, second=dt * mu)
    hc.Simulation(grid, [update, strained], threads=1).run(steps, progress=False)
    x, _ = pulled.coordinates(pulled.space.domain)
    assert np.abs(pulled.gather() - np.sin(k * x) * np.cos(omega * dt * steps)).max() < 1e-12
    others = [f for f in (xx, yy, xy) if f not in (pulled, *(() if is_shear else (yy,)))]
    assert all(np.abs(f.gather()).max() == 0.0 for f in others)


@pytest.mark.parametrize("accuracy", [2, 6])
def test_the_curl_of_a_gradient_and_the_divergence_of_a_curl_vanish(accuracy):
    grid = hc.Grid((12, 10, 8), periodic=True, spacing=(0.5, 0.25, 1.0))
    p, total = grid.field("p"), grid.field("total")
    faces = [grid.field(f"on_{a}", location=f"{a}_face") for a in "xyz"]
    edges = [grid.field(f"{a}_edge", location=f"{a}_edge") for a in ("yz", "xz", "xy")]

    @hc.kernel
    def gradient(p, a, b, c):
        for face, value in zip((a, b, c), hc.grad(p, accuracy=accuracy)):
            face[0, 0, 0] = value

    @hc.kernel
    def rotation(a, b, c, f, g, h):
        for edge, value in zip((f, g, h), hc.curl((a, b, c), accuracy=accuracy)):
            edge[0, 0, 0] = value

    @hc.kernel
    def back(f, g, h, a, b, c):
        for face, value in zip((a, b, c), hc.curl((f, g, h), accuracy=accuracy)):
            face[0, 0, 0] = value

    @hc.kernel
    def divergence(a, b, c, total):
        total[0, 0, 0] = hc.div((a, b, c), accuracy=accuracy)

    p.set(np.random.default_rng(1).random((12, 10, 8)))
    steps = [gradient(p, *faces), rotation(*faces, *edges)]
    hc.Simulation(grid, steps, target="numpy").run(1, progress=False)
    assert max(np.abs(edge.gather()).max() for edge in edges) < 1e-12
    for seed, edge in enumerate(edges):
        edge.set(np.random.default_rng(seed).random((12, 10, 8)))
    steps = [back(*edges, *faces), divergence(*faces, total)]
    hc.Simulation(grid, steps, target="numpy").run(1, progress=False)
    assert np.abs(total.gather()).max() < 1e-12
    assert max(np.abs(face.gather()).max() for face in faces) > 0.1
