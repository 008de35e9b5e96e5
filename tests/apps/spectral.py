"""An independent program for Taylor-Green vortices in a cube: pseudo-spectral, Runge-Kutta."""

from __future__ import annotations

import numpy as np


def taylor_green(reynolds, points, until, dt):
    """Return times, mean kinetic energy and dissipation 2 nu enstrophy.

    Fourier modes, dealiased by the 2/3 rule; rotational form; four stages; viscosity exactly.
    """
    x = 2 * np.pi * np.arange(points) / points
    x, y, z = np.meshgrid(x, x, x, indexing="ij")
    u = np.array([np.sin(x) * np.cos(y) * np.cos(z), -np.cos(x) * np.sin(y) * np.cos(z), 0 * x])
    k = np.array(
        np.meshgrid(
            *[np.fft.fftfreq(points, 1 / points)] * 2,
            np.fft.rfftfreq(points, 1 / points),
            indexing="ij",
        )
    )
    square = (k**2).sum(axis=0)
    safe = np.where(square == 0, 1, square)
    kept = np.all(np.abs(k) < points / 3, axis=0)
    forward = lambda f: np.fft.rfftn(f, axes=(1, 2, 3))  # noqa: E731
    backward = lambda f: np.fft.irfftn(f, s=(points,) * 3, axes=(1, 2, 3))  # noqa: E731

    def rate(v):
        vorticity = backward(1j * np.cross(k, v, axis=0))
        change = forward(np.cross(backward(v), vorticity, axis=0)) * kept
        return change - k * (k * change).sum(axis=0) / safe

    half = np.exp(-square / reynolds * dt / 2)
    v, rows = forward(u) * kept, []
    for step in range(round(until / dt) + 1):
        turn = backward(1j * np.cross(k, v, axis=0))
        energy = 0.5 * (backward(v) ** 2).sum(axis=0).mean()
        rows.append((step * dt, energy, (turn**2).sum(axis=0).mean() / reynolds))
        a = dt * rate(v)
        b = dt * rate(half * (v + a / 2))
        c = dt * rate(half * v + b / 2)
        d = dt * rate(half * (half * v + c))
        v = half * (half * v + half * a / 6 + (b + c) / 3) + d / 6
    return np.array(rows).T
