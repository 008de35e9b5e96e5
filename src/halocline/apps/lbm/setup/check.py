"""Checks of the parts of a setup, alone and together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import hypot, inf
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from halocline.apps.arguments import check_kind, check_number, wrong
from halocline.apps.lbm.collision.relaxation import Collision, known_as
from halocline.apps.lbm.lattice.streaming import STREAMINGS
from halocline.apps.lbm.lattice.velocity_set import NAMES
from halocline.apps.lbm.setup.place_and_time import check_place_and_time, is_function
from halocline.apps.lbm.setup.sides import (
    Boundary,
    FreeSlip,
    Inflow,
    Open,
    Outflow,
    Pressure,
    PressureDrop,
    Sponge,
    Velocity,
    Wall,
)
from halocline.apps.lbm.validation.arguments import (
    NEAR_REST,
    SUBSONIC,
    check_vector,
    check_word,
    current,
    listed,
)
from halocline.apps.lbm.validation.stability import (
    BGK_OUTFLOW,
    CENTRAL_ON_D3Q19,
    LARGEST_SPEED,
    LIMITS,
)
from halocline.errors import CaseError
from halocline.geometry import AXES
from halocline.language.grids.sides import names_of_sides
from halocline.language.numbers import Range, whole_number


def as_extent(value: Any, lattice: str) -> tuple[int, ...]:
    """Return the cells along each axis as whole numbers.

    Raises:
        CaseError: They are none, or not as many as the lattice has axes.
    """
    check_word("lattice", lattice, NAMES)
    cells = tuple(value) if np.iterable(value) else ()
    if not cells:
        raise wrong("extent", value, "whole numbers above 0, one an axis")
    for n in cells:
        if isinstance(n, bool | np.bool_) or not isinstance(n, int | np.integer) or n < 1:
            raise wrong("extent", value, "whole numbers above 0, one an axis")
    if len(cells) != int(lattice[1]):
        raise CaseError(
            f"The lattice {lattice} has {lattice[1]} dimensions, but the extent is {cells}.",
            hint="Give as many numbers of cells, or choose another lattice.",
        )
    return tuple(map(int, cells))


def check_force(force: Any, axes: int) -> None:
    """Raise unless a force is a vector or a function of place and time.

    Raises:
        CaseError: The message names the argument, as in all checks of this file.
    """
    if is_function(force):
        check_place_and_time("force", force, axes)
    elif not _is_empty(force):
        check_vector("force", force, axes)


def check_sides(sides: Any, axes: int) -> None:
    """Raise for unknown sides, sides without a counterpart, and values that are no boundary."""
    check_kind("sides", sides, Mapping, "a dictionary, as {'y-': Wall(), 'y+': Wall()}")
    names = names_of_sides(axes)
    for side in sides:
        check_word("sides", side, names)
    for side, boundary in sides.items():
        opposite_side = side[0] + ("+" if side[1] == "-" else "-")
        if opposite_side not in sides:
            raise CaseError(
                f"Side '{side}' was given a boundary, but '{opposite_side}' none.",
                hint="Give both sides of an axis boundaries, or none for a periodic axis.",
            )
        _check_boundary(side, boundary, axes)
        if isinstance(boundary, PressureDrop):
            _check_drop(side, boundary, opposite_side, sides[opposite_side])


def _check_boundary(side: str, boundary: Any, axes: int) -> None:
    match boundary:
        case FreeSlip() | Wall(()):
            pass
        case Wall(velocity):
            check_vector(f"velocity of {side}", velocity, axes, SUBSONIC)
            through = current(velocity[AXES.index(side[0])])
            if through:
                raise CaseError(
                    f"The wall at side '{side}' was given the velocity {through:g} along "
                    f"{side[0]}; expected 0, as walls move within their own planes.",
                    hint="Fluid enters and leaves through 'Velocity'.",
                )
        case Velocity(velocity):
            _check_velocity(side, velocity, axes)
        case Inflow(velocity, relaxation):
            _check_velocity(side, velocity, axes)
            _check_relaxation(side, relaxation)
        case Pressure(density):
            _check_density(side, density, axes)
        case Outflow(density, relaxation):
            _check_density(side, density, axes)
            _check_relaxation(side, relaxation)
        case PressureDrop(difference):
            check_number(f"difference of {side}", current(difference), Range(above=-1.0, below=1.0))
        case _:
            kinds = ", ".join(f"{kind.__name__}(…)" for kind in get_args(Boundary))
            raise wrong(f"sides['{side}']", boundary, f"a boundary: {kinds}")


def _check_velocity(side: str, velocity: Any, axes: int) -> None:
    if is_function(velocity):
        check_place_and_time(f"velocity of {side}", velocity, axes)
    else:
        check_vector(f"velocity of {side}", velocity, axes, SUBSONIC)


def _check_density(side: str, density: Any, axes: int) -> None:
    if is_function(density):
        check_place_and_time(f"density of {side}", density, axes)
    else:
        hint = "1 is at rest; a pressure p above that makes it 1 + 3 p [lattice units]."
        check_number(f"density of {side}", current(density), NEAR_REST, hint)


def _check_relaxation(side: str, relaxation: Any) -> None:
    if relaxation is not None:
        check_number(f"relaxation of {side}", current(relaxation), Range(above=0.0, below=1.0))


def check_mirrors(sides: Mapping[str, Boundary], streaming: str) -> None:
    """Raise for mirrors on several axes with streaming in place: edges between them are wrong.

    The planner does not know that a layer reads what another one has assigned beyond the domain.
    """
    mirrored = {side[0] for side, boundary in sides.items() if isinstance(boundary, FreeSlip)}
    if len(mirrored) > 1 and STREAMINGS[streaming].is_in_place:
        raise CaseError(
            f"Sides of {listed(sorted(mirrored))} were given free slip with streaming "
            f"'{streaming}'; expected mirrors on one axis, as edges between two are not "
            "filled there.",
            hint="Use streaming='two-grids'.",
        )


def check_sponges(sponges: Any, sides: Mapping[str, Boundary], extent: tuple[int, ...]) -> None:
    """Raise for sponges at periodic sides, wider than the domain, or without a valid state."""
    axes = len(extent)
    check_kind("sponges", sponges, Mapping, "a dictionary, as {'x+': Sponge(…)}")
    for side, sponge in sponges.items():
        check_word("sponges", side, names_of_sides(axes))
        check_kind(f"sponges['{side}']", sponge, Sponge, "a sponge, as Sponge(20, velocity)")
        if not isinstance(sides.get(side), Open | Wall | FreeSlip):
            raise CaseError(
                f"Side '{side}' was given a sponge, but is periodic; expected one with a boundary.",
                hint="A sponge stands before a wall or an open side.",
            )
        name, cells = f"the sponge at {side}", extent[AXES.index(side[0])]
        allowed = Range(least=1, most=cells)
        whole_number(f"'width of {name}'", sponge.width, allowed, CaseError)
        check_number(f"strength of {name}", sponge.strength, Range(above=0.0, most=1.0))
        _check_density(name, sponge.density, axes)
        _check_velocity(name, sponge.velocity, axes)


def check_stability(
    collision: Collision, omega: float, lattice: str, sides: Mapping[str, Boundary]
) -> None:
    """Raise if no tested flow was stable with these parameters."""
    name = known_as(collision)
    outflow = next((s for s, b in sides.items() if isinstance(b, Outflow)), None)
    if outflow and name == "bgk" and omega > BGK_OUTFLOW:
        raise CaseError(
            f"Side '{outflow}' is an outflow, and 'omega' is {omega:g} with collision 'bgk'; "
            f"expected at most {BGK_OUTFLOW:g}, beyond which noise along the side grows.",
            hint="Use trt(), which is stable there, or Pressure().",
        )
    for side, boundary in sides.items():
        velocity = getattr(boundary, "velocity", ())
        if is_function(velocity) or not len(velocity):
            continue
        speed = hypot(*(current(u) for u in velocity))
        if speed > LARGEST_SPEED:
            raise CaseError(
                f"The velocity of side '{side}' is {speed:g} cells a step; expected at most "
                f"{LARGEST_SPEED:g}, about a third of the speed of sound.",
                hint="0.1 is usual, 0.05 more accurate: make steps shorter, or cells larger.",
            )
        viscosity = (1.0 / omega - 0.5) / 3.0
        limit, where = LIMITS[name].largest if name else inf, ""
        alternative = "collision, as smagorinsky(0.15)"
        if name == "central" and lattice == "D3Q19" and isinstance(boundary, Open):
            limit, where = CENTRAL_ON_D3Q19, " on D3Q19"
            alternative = "lattice: D3Q27 is stable further"
        if speed > limit * viscosity:
            raise CaseError(
                f"The velocity of side '{side}', {speed:g} cells a step, over the viscosity "
                f"{viscosity:.3g} is a Reynolds number of {speed / viscosity:.3g} a cell; at most "
                f"{limit:g} are stable with collision '{name}'{where}.",
                hint=f"Take omega up to {1.0 / (3.0 * speed / limit + 0.5):.4g}, a lower speed, or "
                f"another {alternative}.",
            )


def _check_drop(side: str, drop: PressureDrop, other: str, opposite: Any) -> None:
    is_pair = isinstance(opposite, PressureDrop)
    if not is_pair or current(opposite.difference) != -current(drop.difference):
        raise CaseError(
            f"Side '{side}' was given {drop}, but '{other}' {opposite}; expected the opposite "
            "pressure drop.",
            hint=f"What leaves through one side comes in through the other: give '{other}' "
            f"PressureDrop({-current(drop.difference):g}).",
        )


def check_solid(solid: NDArray[np.bool_], sides: Mapping[str, Boundary]) -> None:
    """Raise if solid cells leave no fluid, or close an open side.

    Raises:
        CaseError: The message names the side.
    """
    if solid.all():
        raise CaseError("'solid' leaves no fluid cell.", hint="It is true where cells are solid.")
    for side, boundary in sides.items():
        if not isinstance(boundary, Open):
            continue
        axis = AXES.index(side[0])
        last, inside = (0, 1) if side[1] == "-" else (-1, -2)
        closed = np.take(solid, last, axis)
        if closed.all():
            raise CaseError(
                f"Side '{side}' is open, but all of its cells are solid.",
                hint="Leave fluid cells there, or make the side a wall.",
            )
        is_outflow = isinstance(boundary, Outflow)
        if is_outflow and (np.take(solid, inside, axis) & ~closed).any():
            raise CaseError(
                f"Side '{side}' is an outflow, but has solid cells right behind it.",
                hint="Leave the last two layers of cells alike.",
            )


def _is_empty(value: Any) -> bool:
    return isinstance(value, Sequence | np.ndarray) and len(value) == 0
