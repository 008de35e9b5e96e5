"""The example of waves hears what Green's function of a homogeneous medium says."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import numpy as np

EXAMPLE = Path(__file__).parents[2] / "examples" / "acoustic_wave.py"


def green(distance, times, speed, source):
    """Return the pressure of a line source in two dimensions.

    p(r, t) = 1/2π ∫ s(t') / √((t - t')² - (r/c)²) dt', with t - t' = r/c cosh u.
    """
    delay = distance / speed
    result = np.zeros(len(times))
    for n, time in enumerate(times):
        if time > delay:
            u = np.linspace(0.0, np.arccosh(time / delay), 4001)
            result[n] = np.trapezoid(source(time - delay * np.cosh(u)), u) / (2 * np.pi)
    return result


def test_receivers_hear_what_greens_function_says(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", [str(EXAMPLE), "300", "420"])
    ran = runpy.run_path(str(EXAMPLE))
    assert "strongest at the middle receiver" in capsys.readouterr().out
    where, source = ran["receivers"].coordinates, ran["source"].coordinates[0]
    for number in (0, 13, 20, 40):
        distance = float(np.hypot(*(where[number] - source)))
        known = green(distance, ran["times"], ran["c"], ran["ricker"])
        heard = ran["seismogram"][:, number]
        difference = np.sqrt(((heard - known) ** 2).sum() / (known**2).sum())
        assert difference < 0.03, (number, difference)
