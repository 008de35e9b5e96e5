"""Targets: the languages that kernels are written out in, and the text of a step in each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halocline.codegen.cpp import print_source
from halocline.codegen.cuda import print_cuda
from halocline.errors import PlanError, nearest
from halocline.plan.pipeline import plan_for
from halocline.plan.value.plan import kernels_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from halocline.codegen.source import Source
    from halocline.language.grids.grid import Grid
    from halocline.language.steps.steps import Step
    from halocline.runtime.device import DeviceChoice

TARGETS = ("c++", "numpy")
_PRINTERS = {"c++": print_source, "cuda": print_cuda}


def source_for(grid: Grid, steps: Sequence[Step], target: str = "c++") -> Source:
    """Return the generated text of all kernels of a step; needs no compiler and no device.

    Raises:
        PlanError: There is no text for the target.
    """
    if target not in _PRINTERS:
        raise PlanError(
            f"There is no text for the target '{target}'.", hint=nearest(target, _PRINTERS)
        )
    return _PRINTERS[target](kernels_of([plan_for(grid, steps, check_every=0)]))


def check_target(target: str, device: DeviceChoice | None = None) -> str:
    """Return the name of a target, or refuse one that is unknown, or does not fit the device."""
    if target in _PRINTERS and target not in TARGETS:
        raise PlanError(
            f"The target '{target}' was asked for; expected c++ or numpy, and the text for a "
            "device follows from 'device'.",
            hint=f"Write device='{target}'; 'halocline show code CASE --target {target}' prints "
            "the kernels.",
        )
    if target not in TARGETS:
        raise PlanError(f"There is no target '{target}'.", hint=nearest(target, TARGETS))
    if device is not None and not device.is_cpu and target != "c++":
        raise PlanError(
            f"The target '{target}' runs on the processor; the device '{device}' was asked for."
        )
    return target
