"""What examples print, beside the same physics in plain NumPy that shares nothing with them."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
from launch import python

EXAMPLES = Path(__file__).parents[2] / "examples"


def printed(name, words, directory, *sizes):
    """Return the number that follows some words."""
    done = python(EXAMPLES / name, *map(str, sizes), cwd=directory)
    assert done.returncode == 0, done.stderr
    return float(re.search(rf"{words} (\S+)", done.stdout)[1])


def test_waves_at_a_coast(tmp_path):
    cells, steps = 60, 90
    width = 60e3 / cells
    dt = 0.02 * width
    faces, middles = width * np.arange(cells + 1), width * (np.arange(cells) + 0.5)

    def depth(x, y):
        coast = 52e3 + 3e3 * np.sin(y / 5e3) + 1.5e3 * np.cos(y / 1.7e3) - x
        away = np.sqrt((x - 30e3) ** 2 + (y - 27e3) ** 2) - 4e3
        water = np.clip(np.minimum(coast, away) / 150, 4, 60)
        return np.where((coast < 0) | (away < 0), 0.0, water)

    depth_u = depth(faces[:, None], middles)
    depth_v = depth(middles[:, None], faces)
    level = np.exp(-(((middles[:, None] - 8e3) / 2.5e3) ** 2)) + np.zeros(cells)
    flow_u, flow_v = np.zeros_like(depth_u), np.zeros_like(depth_v)  # depth times current
    for _ in range(steps):
        flow_u[1:-1] -= 9.81 * dt / width * depth_u[1:-1] * np.diff(level, axis=0)
        flow_v[:, 1:-1] -= 9.81 * dt / width * depth_v[:, 1:-1] * np.diff(level, axis=1)
        level -= dt / width * (np.diff(flow_u, axis=0) + np.diff(flow_v, axis=1))
    found = printed("shallow_water.py", "highest level", tmp_path, cells, steps)
    assert math.isclose(found, level.max(), rel_tol=1e-8)


def test_a_crystal(tmp_path):
    cells, steps = 40, 60
    h, dt, tau, latent = 0.03, 1e-4, 3e-4, 1.6
    x = h * (np.arange(cells) + 0.5 - cells / 2)
    p = np.where(np.sqrt(x[:, None] ** 2 + x**2) < 0.15, 1.0, 0.0)
    t = np.zeros_like(p)

    def flux(p):
        """Return the flux through the faces across the first axis, none through the sides."""
        wide = np.pad(p, 1, mode="edge")
        a = np.diff(wide, axis=0)[:, 1:-1] / h
        beside = (wide[:, 2:] - wide[:, :-2]) / (2.0 * h)
        b = 0.5 * (beside[1:] + beside[:-1])
        theta = np.arctan2(b, a)
        flat = (a**2 + b**2) < 1e-6
        epsilon = 0.01 * (1.0 + 0.04 * np.where(flat, 1.0, np.cos(4.0 * theta)))
        turned = np.where(flat, 0.0, -0.0016 * np.sin(4.0 * theta))
        result = epsilon * (epsilon * a - turned * b)
        result[0] = result[-1] = 0.0
        return result

    for _ in range(steps):
        spread = (np.diff(flux(p), axis=0) + np.diff(flux(p.T), axis=0).T) / h
        drive = 0.9 / np.pi * np.arctan(10.0 * (1.0 - t))
        gained = dt / tau * (spread + p * (1.0 - p) * (p - 0.5 + drive))
        wide = np.pad(t, 1, mode="edge")
        middle = wide[1:-1, 1:-1]
        sides = wide[2:, 1:-1] + wide[:-2, 1:-1] + wide[1:-1, 2:] + wide[1:-1, :-2]
        p, t = p + gained, t + dt / h**2 * (sides - 4.0 * middle) + latent * gained
    found = printed("phase_field.py", "fills", tmp_path, cells, steps)
    assert math.isclose(found, 100.0 * p.mean(), rel_tol=1e-5)
