"""Independent programs for Taylor-Green vortices and shear layers: pseudo-spectral, Runge-Kutta."""

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


def shear_layers(viscosity, points, until, steps):
    """Return the mean enstrophy of two shear layers in a unit square: tanh(80 (y - 1/4)).

    Fourier modes of the vorticity, dealiased by the 2/3 rule; four stages; viscosity exactly. With
    viscosity 1e-4 the enstrophy at time 1 is 52.9735 with 256 and with 384 points.
    """
    x = (np.arange(points) + 0.5) / points
    x, y = np.meshgrid(x, x, indexing="ij")
    u = np.tanh(80.0 * np.where(y < 0.5, y - 0.25, 0.75 - y))
    v = 0.05 * np.sin(2 * np.pi * (x + 0.25))
    k = 2 * np.pi * np.fft.fftfreq(points, 1 / points)[:, None]
    m = 2 * np.pi * np.fft.rfftfreq(points, 1 / points)[None, :]
    kept = (np.abs(k) < 2 * np.pi * points / 3) & (m < 2 * np.pi * points / 3)
    square = k**2 + m**2
    safe = np.where(square == 0, 1, square)

    def backward(modes):
        return np.fft.irfft2(modes, s=(points, points))

    def rate(w):
        along, across = backward(1j * m * w / safe), backward(-1j * k * w / safe)
        return kept * -np.fft.rfft2(backward(1j * k * w) * along + backward(1j * m * w) * across)

    dt = until / steps
    half = np.exp(-viscosity * square * dt / 2)
    w = (1j * k * np.fft.rfft2(v) - 1j * m * np.fft.rfft2(u)) * kept
    for _ in range(steps):
        a = dt * rate(w)
        b = dt * rate(half * (w + a / 2))
        c = dt * rate(half * w + b / 2)
        d = dt * rate(half * (half * w + c))
        w = half * (half * w + half * a / 6 + (b + c) / 3) + d / 6
    return 0.5 * (backward(w) ** 2).mean()
