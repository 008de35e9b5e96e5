"""What one step of the flow past obstacles does to a cell.

Populations are those of 'populations.py' in units of the density at rest: BGK does not change when
all of them are multiplied by a number, so the fluid at rest is all zeros here, too.
"""

from __future__ import annotations

from typing import Any

import halocline as hc
from halocline.apps.lbm.lattice.streaming import POST_COLLISION
from halocline.lbm import bgk, moments


@hc.kernel
def accelerate(f: Any, push: Any, solid: Any, *, velocity_set: Any, accel: Any) -> None:
    """Push fluid towards +x, in every cell where no population becomes negative by that.

    Args:
        f: Populations; each with c_x = 1 gains what its mirror image loses.
        push: Work space: what was done in the cell, 'accel' or 0.
        solid: 1 in obstacle cells, 0 in the fluid.
        velocity_set: The lattice.
        accel: Gain of a population over its weight.
    """
    cell = (0, 0)
    is_pushed = solid[cell] == 0
    for i in velocity_set.towards(0, -1):
        weight = velocity_set.weights[i]
        is_pushed = is_pushed & (f[i][cell] + weight > weight * accel)
    push[cell] = hc.where(is_pushed, accel, 0.0)
    for i, (c, weight) in enumerate(
        zip(velocity_set.velocities, velocity_set.weights, strict=True)
    ):
        if c[0]:
            f[i] = f[i][cell] + (c[0] * weight) * push[cell]


@hc.kernel
def stream_collide(
    f: Any, f_next: Any, speed: Any, solid: Any, *, velocity_set: Any, omega: Any
) -> None:
    """Pull the populations that arrive; collide them in the fluid, send them back in obstacles.

    Args:
        f: Populations after the last collision.
        f_next: After this one.
        speed: Length of the velocity, 0 in obstacles [cells / step].
        solid: 1 in obstacle cells, 0 in the fluid.
        velocity_set: The lattice.
        omega: Relaxation rate [1 / step].
    """
    cell = (0, 0)
    arriving = [POST_COLLISION.arriving(f, velocity_set, i, cell) for i in range(len(velocity_set))]
    outgoing = bgk(velocity_set, arriving, omega)
    is_solid = solid[cell] != 0
    for i, opposite in enumerate(velocity_set.opposites):
        f_next[i] = hc.where(is_solid, arriving[opposite], outgoing[i])
    # Collision changes neither density nor momentum.
    excess, (jx, jy) = moments(velocity_set, arriving)
    inverse_density = 1.0 / (1.0 + excess)
    speed[cell] = hc.where(is_solid, 0.0, hc.sqrt(jx * jx + jy * jy) * inverse_density)


@hc.kernel
def rest_in_obstacles(density: Any, velocity: Any, solid: Any) -> None:
    """Let obstacle cells show a fluid at rest instead of what travels through them."""
    cell = (0, 0)
    is_solid = solid[cell] != 0
    density[cell] = hc.where(is_solid, 1.0, density[cell])
    for axis in range(velocity.components):
        velocity[axis] = hc.where(is_solid, 0.0, velocity[axis][cell])
