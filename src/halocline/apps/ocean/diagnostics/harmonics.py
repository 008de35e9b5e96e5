"""Harmonic analysis while a model runs: what its tides are, window after window."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from itertools import combinations
from math import pi
from typing import TYPE_CHECKING, Any

import numpy as np

import halocline as hc
from halocline.apps.ocean.physics.tides import HOUR, add_sample, harmonic_analysis
from halocline.errors import CaseError
from halocline.frozen import Frozen
from halocline.io.variable import Variable
from halocline.runtime.storage import storage_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from halocline.apps.ocean.model import Model
    from halocline.language.grids.fields import Field
    from halocline.language.steps.steps import Step

    Constants = Mapping[str, NDArray[np.complex128]]


class Window(Frozen):
    """What is looked for in which time.

    Attributes:
        frequencies: By the names of the waves [rad/s].
        steps: Macro steps from the end of a window to that of the next.
        step: Length of one [s].
    """

    frequencies: Mapping[str, float]
    steps: int
    step: float

    def check(self) -> None:
        """Raise a CaseError if it is too short to tell the waves apart (Rayleigh's criterion)."""
        length = self.steps * self.step
        for (name, low), (other_name, high) in combinations(
            {"mean": 0.0, **self.frequencies}.items(), 2
        ):
            needed = 2.0 * pi / abs(high - low)
            # A window of whole steps may be a little shorter than a period.
            if length < 0.99 * needed:
                raise CaseError(
                    f"The harmonic analysis covers {length / HOUR:.4g} hours; {name} and "
                    f"{other_name} can be separated in {needed / HOUR:.4g} hours.",
                    hint="Analyse more periods.",
                )

    def times(self, step: int) -> NDArray[np.float64]:
        """Return the times of the samples of the last window that was complete after a step [s]."""
        last = step - step % self.steps
        return np.asarray(np.arange(last - self.steps + 1, last + 1) * self.step, dtype=np.float64)


class HarmonicAnalysis:
    """Sums of the elevation over windows of time, and the harmonic constants that follow.

    Sums begin anew with each window, and those of the last one are kept: so a run may end, or go on
    after a restart, whenever it likes.

    Args:
        model: Whose elevation.
        window: What is looked for.
    """

    def __init__(self, model: Model, window: Window) -> None:
        self.window = window
        self._zeta = model.zeta
        components = 1 + 2 * len(window.frequencies)
        self._sums, self._kept = (
            model.grid.field(name, axes="xy", components=components)
            for name in ("tidal_sums", "tidal_sums_kept")
        )

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """What is done at the end of each macro step."""
        frequencies, time = tuple(self.window.frequencies.values()), hc.time + self.window.step
        return (
            add_sample(self._sums, self._zeta, frequencies=frequencies, time=time),
            hc.every(self.window.steps, begin_window(self._kept, self._sums)),
        )

    def gather(self, step: int) -> Constants | None:
        """Return amplitude * exp(-i phase) of each wave as of a step; collective.

        None before the first window is complete, and on ranks other than 0.
        """
        if step < self.window.steps:
            return None
        storage = storage_of(self._kept)
        parts = [storage.gather_component(n) for n in range(self._kept.components)]
        if parts[0] is None:
            return None
        frequencies = self.window.frequencies
        sums = np.array(parts, dtype=np.float64)
        _, waves = harmonic_analysis(sums, list(frequencies.values()), self.window.times(step))
        return dict(zip(frequencies, waves, strict=True))


def variables(constants: Constants | None, names: tuple[str, ...]) -> tuple[Variable, ...]:
    """Return amplitude and phase of each wave, for files; without values where there are none."""
    result = []
    for name in names:
        wave = None if constants is None else constants[name]
        amplitude, lag = (None, None) if wave is None else (np.abs(wave), phase(wave))
        result += [
            Variable(f"{name}_amplitude", amplitude, "m", f"amplitude of {name}", axes="xy"),
            Variable(f"{name}_phase", lag, "degree", f"phase lag of {name}", axes="xy"),
        ]
    return tuple(result)


def phase(wave: Any) -> Any:
    """Return how late a wave is, 0 to 360 [degrees]."""
    return np.degrees(-np.angle(wave)) % 360.0


@hc.kernel
def begin_window(kept: Field, sums: Field) -> None:
    """Keep the sums of a window, and begin those of the next.

    Args:
        kept: Gets the sums.
        sums: Components, see 'add_sample'.
    """
    for n in range(sums.components):
        kept[n] = sums[n]
        sums[n] = 0.0


class Amphidrome(Frozen):
    """A point without a tide, around which its phase turns.

    Attributes:
        x: In the coordinates given.
        y: The same.
        is_cyclonic: Whether the wave goes round it anticlockwise.
    """

    x: float
    y: float
    is_cyclonic: bool


def amphidromes(
    wave: NDArray[np.complex128], x: NDArray[np.float64], y: NDArray[np.float64]
) -> tuple[Amphidrome, ...]:
    """Find the points around which the phase turns by 360 degrees.

    Args:
        wave: amplitude * exp(-i phase), NaN on land (nx, ny).
        x: Of cells (nx,).
        y: Of cells (ny,).
    """
    corners = (wave[:-1, :-1], wave[1:, :-1], wave[1:, 1:], wave[:-1, 1:])
    around = zip(corners, (*corners[1:], corners[0]), strict=True)
    turn = np.sum([np.angle(after * np.conj(before)) for before, after in around], axis=0)
    points = []
    for i, j in np.argwhere(np.abs(turn) > pi):
        right, up = _zero(np.array([corner[i, j] for corner in corners]))
        place = x[i] + right * (x[i + 1] - x[i]), y[j] + up * (y[j + 1] - y[j])
        # The angle of the wave is minus its phase, which grows along its way.
        points.append(Amphidrome(float(place[0]), float(place[1]), bool(turn[i, j] < 0.0)))
    return tuple(points)


def _zero(corners: NDArray[np.complex128]) -> tuple[float, float]:
    """Return where in a square a wave vanishes, from its corners, counted around."""
    slopes = np.array([[-1.0, 1.0, 1.0, -1.0], [-1.0, -1.0, 1.0, 1.0]]) @ corners / 2.0
    middle = corners.mean()
    matrix = np.array([slopes.real, slopes.imag])
    right, up = np.linalg.lstsq(matrix, -np.array([middle.real, middle.imag]))[0]
    return float(np.clip(0.5 + right, 0.0, 1.0)), float(np.clip(0.5 + up, 0.0, 1.0))
