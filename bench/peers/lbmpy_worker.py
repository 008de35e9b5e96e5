"""The part of lbmpy in 'compare.py': lattice:STREAMING CELLS DTYPE; its kernels with ghost layers.

With a fourth word, 'alone', only its kernels: no ghost layer is filled, so that values are wrong
near the sides, and none are told.
"""

import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pystencils
from lbmpy import LBMConfig, LBMOptimisation, LBStencil, Method, Stencil, create_lb_update_rule
from lbmpy.advanced_streaming import Timestep
from lbmpy.advanced_streaming.communication import LBMPeriodicityHandling
from pystencils import CreateKernelConfig, Target
from turns import density, places_of, serve

streaming, n, dtype = sys.argv[1].split(":")[1], int(sys.argv[2]), sys.argv[3]
is_alone, is_in_place = sys.argv[4:] == ["alone"], streaming == "in-place"
kind = np.dtype(dtype).type
stencil = LBStencil(Stencil.D3Q19)
data = pystencils.create_data_handling((n, n, n), periodicity=True, default_layout="fzyx")
names = ["f"] if is_in_place else ["f", "g"]
fields = {
    name: data.add_array(name, values_per_cell=19, dtype=kind, alignment=64) for name in names
}
pattern = "aa" if is_in_place else "pull"
config = LBMConfig(
    stencil=stencil,
    method=Method.SRT,
    relaxation_rate=1.6,
    compressible=True,
    zero_centered=False,
    streaming_pattern=pattern,
)
how = CreateKernelConfig(target=Target.CurrentCPU, default_dtype=dtype)
how.cpu.openmp.enable = True
how.cpu.vectorize.enable = True
how.cpu.vectorize.assume_inner_stride_one = True
how.cpu.vectorize.assume_aligned = True
how.cpu.vectorize.use_nontemporal_stores = not is_in_place


def kernel(timestep: Timestep) -> Any:
    """Return the compiled kernel of every, or of every other step."""
    optimisation = LBMOptimisation(
        symbolic_field=fields["f"], symbolic_temporary_field=fields.get("g"), cse_global=True
    )
    rule = create_lb_update_rule(
        lbm_config=replace(config, timestep=timestep), lbm_optimisation=optimisation
    )
    return pystencils.create_kernel(rule, how).compile()


kernels = [kernel(t) for t in ((Timestep.EVEN, Timestep.ODD) if is_in_place else (Timestep.BOTH,))]
periodicity = LBMPeriodicityHandling(stencil, data, "f", streaming_pattern=pattern)
along = np.arange(n) + 0.5
at_first = density(n, along[:, None, None], along[None, :, None], along[None, None, :])
weights = {0: 1 / 3, 1: 1 / 18, 2: 1 / 36}
inner = data.cpu_arrays["f"][(slice(1, -1),) * 3]
for q, direction in enumerate(stencil):
    inner[..., q] = weights[sum(map(abs, direction))] * at_first


def step(steps: int) -> None:
    """Do so many steps; in place an even number."""
    for number in range(steps * len(kernels)):
        which = number % len(kernels)
        if not is_alone:
            before = (Timestep.ODD, Timestep.EVEN)[which] if is_in_place else Timestep.BOTH
            periodicity(before)
        data.run_kernel(kernels[which])
        if not is_in_place:
            data.swap("f", "g")


def verify() -> list[float]:
    """Do eight steps and return densities."""
    step(8 // len(kernels))
    values = data.cpu_arrays["f"][(slice(1, -1),) * 3]
    return [] if is_alone else [float(values[place].sum()) for place in places_of(n)]


serve(step, n**3 * len(kernels), verify)
