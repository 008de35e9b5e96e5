"""Halocline: write the kernel once; the halo takes care of itself."""

import types as _types
import typing as _typing

from halocline import errors as errors
from halocline.errors import HaloclineError as HaloclineError
from halocline.geometry import Box as Box
from halocline.language.boundaries.boundary import Dirichlet as Dirichlet
from halocline.language.boundaries.boundary import Neumann as Neumann
from halocline.language.boundaries.boundary import Robin as Robin
from halocline.language.boundaries.traced_layer import layer as layer
from halocline.language.differences.derivatives import average as average
from halocline.language.differences.derivatives import coordinate as coordinate
from halocline.language.differences.derivatives import curl as curl
from halocline.language.differences.derivatives import d as d
from halocline.language.differences.derivatives import div as div
from halocline.language.differences.derivatives import grad as grad
from halocline.language.differences.derivatives import laplacian as laplacian
from halocline.language.differences.derivatives import spacing as spacing
from halocline.language.differences.stencil import stencil as stencil
from halocline.language.expressions.functions import acos as acos
from halocline.language.expressions.functions import asin as asin
from halocline.language.expressions.functions import atan as atan
from halocline.language.expressions.functions import atan2 as atan2
from halocline.language.expressions.functions import cbrt as cbrt
from halocline.language.expressions.functions import ceil as ceil
from halocline.language.expressions.functions import clip as clip
from halocline.language.expressions.functions import copysign as copysign
from halocline.language.expressions.functions import cos as cos
from halocline.language.expressions.functions import cosh as cosh
from halocline.language.expressions.functions import erf as erf
from halocline.language.expressions.functions import exp as exp
from halocline.language.expressions.functions import exp2 as exp2
from halocline.language.expressions.functions import expm1 as expm1
from halocline.language.expressions.functions import floor as floor
from halocline.language.expressions.functions import fmod as fmod
from halocline.language.expressions.functions import hypot as hypot
from halocline.language.expressions.functions import index as index
from halocline.language.expressions.functions import isnan as isnan
from halocline.language.expressions.functions import log as log
from halocline.language.expressions.functions import log1p as log1p
from halocline.language.expressions.functions import log2 as log2
from halocline.language.expressions.functions import log10 as log10
from halocline.language.expressions.functions import maximum as maximum
from halocline.language.expressions.functions import minimum as minimum
from halocline.language.expressions.functions import pow as pow  # noqa: A004 (the field's word)
from halocline.language.expressions.functions import round as round  # noqa: A004 (the field's word)
from halocline.language.expressions.functions import sign as sign
from halocline.language.expressions.functions import sin as sin
from halocline.language.expressions.functions import sinh as sinh
from halocline.language.expressions.functions import sqrt as sqrt
from halocline.language.expressions.functions import tan as tan
from halocline.language.expressions.functions import tanh as tanh
from halocline.language.expressions.functions import trunc as trunc
from halocline.language.expressions.functions import where as where
from halocline.language.expressions.kernel import Kernel as Kernel
from halocline.language.expressions.neighbour import at as at
from halocline.language.expressions.parameters import Parameter as Parameter
from halocline.language.expressions.parameters import step as step
from halocline.language.expressions.parameters import time as time
from halocline.language.expressions.random_numbers import normal as normal
from halocline.language.expressions.random_numbers import random as random
from halocline.language.expressions.random_numbers import random_bits as random_bits
from halocline.language.grids.composite import PerLevel as PerLevel
from halocline.language.grids.fields import Field as Field
from halocline.language.grids.forest import Forest as Forest
from halocline.language.grids.grid import Grid as Grid
from halocline.language.grids.refine import Refine as Refine
from halocline.language.library.absorbing import PML as PML
from halocline.language.library.absorbing import sponge as sponge
from halocline.language.library.multigrid import Multigrid as Multigrid
from halocline.language.library.ramp import ramp as ramp
from halocline.language.library.solvers import bicgstab as bicgstab
from halocline.language.library.solvers import conjugate_gradients as conjugate_gradients
from halocline.language.library.tridiagonal import tridiagonal as tridiagonal
from halocline.language.points.points import Points as Points
from halocline.language.series.filling import fill as fill
from halocline.language.series.series import Series as Series
from halocline.language.steps.loops import assign as assign
from halocline.language.steps.loops import until as until
from halocline.language.steps.reductions import max as max  # noqa: A004 (the field's word)
from halocline.language.steps.reductions import min as min  # noqa: A004 (the field's word)
from halocline.language.steps.reductions import sum as sum  # noqa: A004 (the field's word)
from halocline.language.steps.steps import every as every
from halocline.language.steps.steps import repeat as repeat
from halocline.language.steps.steps import rotate as rotate
from halocline.language.steps.steps import swap as swap
from halocline.language.steps.sweep import sweep as sweep
from halocline.language.steps.trace import kernel as kernel
from halocline.language.steps.transfer import prolong as prolong
from halocline.language.steps.transfer import restrict as restrict
from halocline.plan.blocks.bisection import Bisection as Bisection
from halocline.plan.blocks.decomposition import Decomposition as Decomposition
from halocline.plan.blocks.owners import Owners as Owners
from halocline.plan.blocks.shares import Shares as Shares
from halocline.plan.blocks.sparse import Sparse as Sparse
from halocline.plan.cells.strategy import Strategy as Strategy
from halocline.plan.pipeline import plan_for as plan_for
from halocline.plan.value.plan import Plan as Plan
from halocline.runtime.ending import report_once_before_mpi as _report_once_before_mpi
from halocline.runtime.report import Report as Report
from halocline.runtime.virtual import on_virtual_ranks as on_virtual_ranks
from halocline.simulation import Simulation as Simulation

_report_once_before_mpi()

# Modules of the package are no part of it, but for the errors.
__all__ = ["errors"]
__all__ += [
    name
    for name, value in globals().items()
    if not name.startswith("_") and not isinstance(value, _types.ModuleType)
]

if _typing.TYPE_CHECKING:
    from halocline import coarray as coarray
    from halocline import output as output

    __version__: str
else:

    def __getattr__(name: str) -> object:
        # By the import of 'coarray' a process becomes one of several images, and that of 'output'
        # takes a while: not before they are used.
        if name in ("coarray", "output"):
            from importlib import import_module

            return import_module(f"halocline.{name}")
        if name == "__version__":
            from importlib.metadata import version

            return version("halocline")
        raise AttributeError(f"module 'halocline' has no attribute '{name}'")

    def __dir__() -> list[str]:
        return [*__all__, "coarray", "output", "__version__", "__doc__"]
