"""Halocline: write the kernel once; the halo takes care of itself."""

from halocline.geometry import Box as Box
from halocline.language.boundary import Dirichlet as Dirichlet
from halocline.language.boundary import Neumann as Neumann
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
from halocline.language.points import Points as Points
from halocline.language.reductions import max as max  # noqa: A004 (the field's word)
from halocline.language.reductions import min as min  # noqa: A004 (the field's word)
from halocline.language.reductions import sum as sum  # noqa: A004 (the field's word)
from halocline.language.series import Series as Series
from halocline.language.steps import Parameter as Parameter
from halocline.language.steps import every as every
from halocline.language.steps import repeat as repeat
from halocline.language.steps import step as step
from halocline.language.steps import swap as swap
from halocline.language.steps import time as time
from halocline.language.sweep import sweep as sweep
from halocline.language.trace import kernel as kernel
from halocline.language.trace import laplacian as laplacian
from halocline.language.transfer import prolong as prolong
from halocline.language.transfer import restrict as restrict
from halocline.plan.bisection import Bisection as Bisection
from halocline.plan.decomposition import Decomposition as Decomposition
from halocline.plan.sparse import Sparse as Sparse
from halocline.plan.strategy import Strategy as Strategy
from halocline.simulation import Simulation as Simulation
