"""Halocline: write the kernel once; the halo takes care of itself."""

from halocline import errors as errors
from halocline.errors import HaloclineError as HaloclineError
from halocline.geometry import Box as Box
from halocline.language.boundary import Dirichlet as Dirichlet
from halocline.language.boundary import Neumann as Neumann
from halocline.language.derivatives import average as average
from halocline.language.derivatives import coordinate as coordinate
from halocline.language.derivatives import curl as curl
from halocline.language.derivatives import d as d
from halocline.language.derivatives import div as div
from halocline.language.derivatives import grad as grad
from halocline.language.derivatives import laplacian as laplacian
from halocline.language.derivatives import spacing as spacing
from halocline.language.fields import Field as Field
from halocline.language.functions import cos as cos
from halocline.language.functions import exp as exp
from halocline.language.functions import index as index
from halocline.language.functions import log as log
from halocline.language.functions import maximum as maximum
from halocline.language.functions import minimum as minimum
from halocline.language.functions import sin as sin
from halocline.language.functions import sqrt as sqrt
from halocline.language.functions import tanh as tanh
from halocline.language.functions import where as where
from halocline.language.grid import Grid as Grid
from halocline.language.kernel import Kernel as Kernel
from halocline.language.loops import assign as assign
from halocline.language.loops import until as until
from halocline.language.multigrid import Multigrid as Multigrid
from halocline.language.parameters import Parameter as Parameter
from halocline.language.parameters import step as step
from halocline.language.parameters import time as time
from halocline.language.reductions import max as max  # noqa: A004 (the field's word)
from halocline.language.reductions import min as min  # noqa: A004 (the field's word)
from halocline.language.reductions import sum as sum  # noqa: A004 (the field's word)
from halocline.language.steps import every as every
from halocline.language.steps import repeat as repeat
from halocline.language.steps import rotate as rotate
from halocline.language.steps import swap as swap
from halocline.language.sweep import sweep as sweep
from halocline.language.trace import kernel as kernel
from halocline.language.transfer import prolong as prolong
from halocline.language.transfer import restrict as restrict
from halocline.language.tridiagonal import tridiagonal as tridiagonal
from halocline.pipeline import plan_for as plan_for
from halocline.plan.bisection import Bisection as Bisection
from halocline.plan.decomposition import Decomposition as Decomposition
from halocline.plan.plan import Plan as Plan
from halocline.plan.sparse import Sparse as Sparse
from halocline.plan.strategy import Strategy as Strategy
from halocline.runtime.report import Report as Report
from halocline.simulation import Simulation as Simulation
