"""What a setup must be, told before anything is made of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from halocline.apps.lbm.arguments import (
    check_function,
    check_number,
    check_vector,
    check_word,
    current,
    wrong,
)
from halocline.apps.lbm.bodies import check_bodies
from halocline.apps.lbm.boundaries import (
    Boundary,
    FreeSlip,
    Outflow,
    Pressure,
    PressureDrop,
    Velocity,
    Wall,
)
from halocline.apps.lbm.collision import check_collision
from halocline.apps.lbm.streaming import DTYPES, STREAMINGS
from halocline.apps.lbm.velocity_set import NAMES
from halocline.errors import CaseError
from halocline.geometry import AXES
from halocline.language.grids.sides import names_of_sides
from halocline.language.numbers import Range

if TYPE_CHECKING:
    from halocline.apps.lbm.flow import Setup

# A lattice carries nothing faster than sound [cells / step].
_SOUND = 1.0 / sqrt(3.0)
_SUBSONIC = Range(above=-_SOUND, below=_SOUND)


def check_setup(setup: Setup) -> None:
    """Refuse numbers, words, functions and sides of which no flow can be made.

    Raises:
        CaseError: The message names the argument.
    """
    check_word("lattice", setup.lattice, NAMES)
    axes = int(setup.lattice[1])
    check_number(
        "omega",
        current(setup.omega),
        Range(above=0.0, below=2.0),
        "The viscosity is (1/omega - 1/2) / 3.",
    )
    check_collision("collision", setup.collision)
    check_word("streaming", setup.streaming, tuple(STREAMINGS))
    check_word("dtype", setup.dtype, DTYPES)
    check_number("step_time", setup.step_time, Range(above=0.0))
    if callable(setup.force):
        check_function("force", setup.force, ("the time",))
    elif not _is_empty(setup.force):
        check_vector("force", setup.force, axes)
    _check_sides(setup.sides, axes)
    check_bodies(setup.bodies, axes)


def as_extent(value: Any, lattice: str) -> tuple[int, ...]:
    """Return the cells along each axis as whole numbers.

    Raises:
        CaseError: They are none, or not as many as the lattice has axes.
    """
    check_word("lattice", lattice, NAMES)
    cells = tuple(value) if np.iterable(value) else ()
    if not cells or not all(isinstance(n, int | np.integer) and n > 0 for n in cells):
        raise wrong("extent", value, "whole numbers above 0, one an axis")
    if len(cells) != int(lattice[1]):
        raise CaseError(
            f"The lattice {lattice} has {lattice[1]} dimensions, but the extent is {cells}.",
            hint="Give as many numbers of cells, or choose another lattice.",
        )
    return tuple(map(int, cells))


def _check_sides(sides: Any, axes: int) -> None:
    if not isinstance(sides, Mapping):
        raise wrong("sides", sides, "a dictionary, as {'y-': Wall(), 'y+': Wall()}")
    known = names_of_sides(axes)
    for side, boundary in sides.items():
        check_word("sides", side, known)
        other = side[0] + ("+" if side[1] == "-" else "-")
        if other not in sides:
            raise CaseError(
                f"Side '{side}' was given a boundary, but '{other}' none.",
                hint="Give both sides of an axis boundaries, or none for a periodic axis.",
            )
        _check_boundary(side, boundary, axes)
        if isinstance(boundary, PressureDrop):
            _check_drop(side, boundary, other, sides[other])


def _check_boundary(side: str, boundary: Any, axes: int) -> None:
    match boundary:
        case FreeSlip() | Wall(()):
            pass
        case Wall(velocity):
            check_vector(f"velocity of {side}", velocity, axes, _SUBSONIC)
            through = current(velocity[AXES.index(side[0])])
            if through:
                raise CaseError(
                    f"The wall at side '{side}' was given the velocity {through:g} along "
                    f"{side[0]}; expected 0, as walls move within their own planes.",
                    hint="Fluid enters and leaves through 'Velocity'.",
                )
        case Velocity(velocity) if callable(velocity):
            check_function(f"velocity of {side}", velocity, AXES[:axes])
        case Velocity(velocity):
            check_vector(f"velocity of {side}", velocity, axes, _SUBSONIC)
        case Pressure(density):
            check_number(f"density of {side}", current(density), Range(above=0.0))
        case Outflow(speed):
            check_number(f"speed of {side}", current(speed), Range(above=0.0, below=_SOUND))
        case PressureDrop(difference):
            check_number(f"difference of {side}", current(difference), Range(above=-1.0, below=1.0))
        case _:
            known = ", ".join(f"{kind.__name__}(…)" for kind in get_args(Boundary))
            raise wrong(f"sides['{side}']", boundary, f"a boundary: {known}")


def _check_drop(side: str, drop: PressureDrop, other: str, opposite: Any) -> None:
    is_pair = isinstance(opposite, PressureDrop)
    if not is_pair or current(opposite.difference) != -current(drop.difference):
        raise CaseError(
            f"Side '{side}' was given {drop}, but '{other}' {opposite}; expected the opposite "
            "pressure drop.",
            hint=f"What leaves through one side comes in through the other: give '{other}' "
            f"PressureDrop({-current(drop.difference):g}).",
        )


def check_solid(setup: Setup) -> None:
    """Refuse solid cells that leave no fluid, or close an open side.

    Raises:
        CaseError: The message names the side.
    """
    if setup.solid is None:
        return
    if setup.solid.all():
        raise CaseError("'solid' leaves no fluid cell.", hint="It is true where cells are solid.")
    for side, boundary in setup.sides.items():
        if not isinstance(boundary, Velocity | Pressure | Outflow):
            continue
        axis = AXES.index(side[0])
        last, inside = (0, 1) if side[1] == "-" else (-1, -2)
        closed = np.take(setup.solid, last, axis)
        if closed.all():
            raise CaseError(
                f"Side '{side}' is open, but all of its cells are solid.",
                hint="Leave fluid cells there, or make the side a wall.",
            )
        is_outflow = isinstance(boundary, Outflow)
        if is_outflow and (np.take(setup.solid, inside, axis) & ~closed).any():
            raise CaseError(
                f"Side '{side}' is an outflow, but has solid cells right behind it.",
                hint="Leave the last two layers of cells alike.",
            )


def _is_empty(value: Any) -> bool:
    return isinstance(value, Sequence | np.ndarray) and len(value) == 0
