"""Kernels of one field that measurements call through the runtime, compiled when first wanted."""

from __future__ import annotations

from typing import Any

import halocline as hc
from halocline.language.expressions.kernel import Kernel
from halocline.plan.pipeline import plan_for
from halocline.runtime import _core
from halocline.runtime.compiled import CompiledKernels, compile_kernels
from halocline.runtime.job import Job

_CHAIN = 64
# What all updates of 'compute' leave as it is: a result that is easy to check.
FIXED_POINT = 0.5


@hc.kernel
def increase(values: Any) -> None:
    """Write a value that was not there before."""
    values[0, 0, 0] = values[0, 0, 0] + 1.0


@hc.kernel
def compute(values: Any) -> None:
    """Do 2 x 64 operations on each value, which come to rest at the fixed point."""
    new = values[0, 0, 0]
    for _ in range(_CHAIN):
        new = new * 0.5 + 0.25
    values[0, 0, 0] = new


# Libraries must live as long as a runtime may call them.
_COMPILED: dict[tuple[str, str], CompiledKernels] = {}


def kernel_of(job: Job, function: Any, dtype: str) -> Kernel:
    """Return a kernel, compiled for a type of values; all ranks must call it."""
    return next(iter(_compiled(job, function, dtype).functions))


def address_of(job: Job, function: Any, dtype: str) -> int:
    """Return the address of a kernel; all ranks must call it."""
    return _compiled(job, function, dtype).address(kernel_of(job, function, dtype))


def add_kernel(runtime: _core.Runtime, job: Job, function: Any, slot: int, dtype: str) -> int:
    """Add a kernel of a field to a runtime and return its number; all ranks must call it."""
    address = address_of(job, function, dtype)
    return runtime.add_kernel(_core.Kernel(function.name, address, [slot], []))


def _compiled(job: Job, function: Any, dtype: str) -> CompiledKernels:
    key = (function.name, dtype)
    if key not in _COMPILED:
        grid = hc.Grid((1, 1, 1))
        plan = plan_for(grid, [function(grid.field("values", dtype=dtype))], check_every=0)
        _COMPILED[key] = compile_kernels([plan], "c++", job)
    return _COMPILED[key]
