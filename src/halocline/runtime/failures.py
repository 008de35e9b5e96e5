"""Failures: the errors of the C++ runtime, in the words of the user's program."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from halocline.errors import ConvergenceError, DeviceError, DivergedError, MpiError
from halocline.language.expressions.parameters import described_values
from halocline.runtime import _core

if TYPE_CHECKING:
    from collections.abc import Collection

    from halocline.language.grids.grid import Grid
    from halocline.language.steps.tree import Until
    from halocline.runtime.slots import Slots

_UNSTABLE = (
    "The computation has become unstable: use a smaller time step, a finer grid or a larger "
    "viscosity."
)


def explained(
    error: BaseException, slots: Slots, grid: Grid, read: Collection[str], *, is_in_step: bool
) -> BaseException:
    """Return an error of the runtime as one that the user understands, and any other as it is.

    Args:
        error: The error.
        slots: The names of what the runtime knows by number.
        grid: The grid.
        read: The names of the fields that kernels read.
        is_in_step: Whether a step is in progress: it counts, as it does for functions that it
            calls.
    """
    step = slots.runtime.step
    match error:
        case _core.OutOfLimitsError():
            field, at, component, cell, value = error.args
            layout = slots.storages[field].layout
            which = f" component {component}" if layout.components > 1 else ""
            where = f"Field '{field}'{which}", tuple(cell[: len(layout.lower)]), at + is_in_step
            if math.isnan(value):
                return _not_a_number(where, grid, read)
            low, high = grid.fields[field].allowed or (-math.inf, math.inf)
            return _diverged(
                where,
                f"{value:.4g}",
                f"; expected values from {low:.4g} to {high:.4g}",
                f"{_UNSTABLE} If such values are right, 'limits(…)' of the field says so.",
            )
        case _core.UnmetError():
            number, iterations, at = error.args
            return _unmet(slots.loops[number], iterations, at + is_in_step)
        case _core.TransportError():
            return MpiError(
                f"Messages with other ranks failed at step {step}: {error}.",
                hint="Most likely another rank has died: look for what it said.",
            )
        case _core.DeviceError():
            return DeviceError(
                f"The device failed at step {step}: {error}.",
                hint="What was on it is lost: run again, from a checkpoint if there is one.",
            )
        case _:
            return error


def _diverged(
    where: tuple[str, tuple[int, ...], int], found: str, expected: str, hint: str
) -> DivergedError:
    what, cell, step = where
    return DivergedError(f"{what} is {found} in cell {cell} at step {step}{expected}.", hint=hint)


def _not_a_number(
    where: tuple[str, tuple[int, ...], int], grid: Grid, read: Collection[str]
) -> DivergedError:
    """Return the error of a value that is not a number, with what may have made it."""
    fields, hint = grid.fields, _UNSTABLE
    if solved := [field for field in fields.values() if field.solved_by]:
        hint = (
            f"A system that '{solved[0].solved_by}' solves for '{solved[0].name}' may be "
            f"singular: nothing is pivoted, so its diagonal must dominate. Or: {_UNSTABLE}"
        )
    if given := [name for name in fields if fields[name].is_set_to_nan and name in read]:
        hint = (
            f"Some of the values that '{given[0]}' was set to were no numbers: look at these. "
            f"If no cell that is computed reads them: {_UNSTABLE}"
        )
    return _diverged(where, "not a number", "", hint)


def _unmet(loop: Until[Any], iterations: int, step: int) -> ConvergenceError:
    """Return the error of a loop whose condition does not hold after its last iteration."""
    hint = "Raise 'max_iterations', write on_failure='ignore', or look at what is computed."
    lost = [p.name for p in loop.condition.parameters if math.isnan(p.value)]
    if lost:
        hint = (
            f"'{lost[0]}' is not a number, so no comparison with it ever holds: look at what it "
            "is computed of."
        )
    return ConvergenceError(
        f"The condition '{loop.condition.name}' did not hold after {iterations} iterations in step "
        f"{step}: {described_values(loop.condition)}.",
        hint=hint,
    )
