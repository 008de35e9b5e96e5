"""Bodies: solids whose walls lie where their surfaces are, inside cells.

Cells whose centre lies in a body are solid; where their walls are, 'body_walls.py' finds.
Coordinates are those of the grid, with 'spacing' and 'origin' of the setup, as all over a flow.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, runtime_checkable

import numpy as np

from halocline.apps.arguments import wrong
from halocline.apps.lbm.validation.arguments import (
    check_function,
    check_vector,
    evaluated,
    returned,
)
from halocline.errors import CaseError
from halocline.frozen import Frozen
from halocline.geometry import AXES, added

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from halocline.geometry import Box, Offset
    from halocline.language.grids.grid import Grid

# Bodies are numbered in a byte, 0 for none.
_MOST = 255
# Halving a link so often leaves no more of it than a digit of a double.
_HALVINGS = 52


@runtime_checkable
class Shape(Protocol):
    """A solid and its surface.

    Attributes:
        dimensions: Of how many axes there may be.
    """

    dimensions: ClassVar[tuple[int, ...]]

    def inside(self, grid: Grid, box: Box | None = None) -> NDArray[np.bool_]:
        """Return for the centre of each cell of a grid, or in a box, whether it lies inside."""
        ...

    def crossings(self, grid: Grid, cells: NDArray[np.int64], link: Offset) -> NDArray[np.float64]:
        """Return the distance of the surface on links, over their length: above 0, at most 1.

        Args:
            grid: Whose cells they join.
            cells: In the centres of which they begin, outside (n, axes).
            link: From there to the cell where they end, inside, maybe across a periodic side.
        """
        ...


class SignedDistance(Frozen):
    """A function that returns the distance of the surface, negative inside; see 'Body'."""

    function: Callable[..., Any]
    dimensions: ClassVar[tuple[int, ...]] = (2, 3)

    def inside(self, grid: Grid, box: Box | None = None) -> NDArray[np.bool_]:
        """Return for the centre of each cell whether it lies inside, or on the surface.

        Raises:
            CaseError: The function returns something else than a distance for each cell.
        """
        cells = box or grid.domain
        distances = self._at(grid.coordinates("center", cells))
        if distances.dtype == bool:
            hint = "An array of solid cells is the 'solid' of a setup."
            raise self._wrong("True and False", hint)
        if (strange := ~np.isfinite(distances)).any():
            first = tuple(map(int, np.argwhere(strange)[0]))
            cell = added(first, cells.lower)
            raise self._wrong(f"{distances[first]} in the middle of cell {cell}")
        return np.asarray(distances <= 0.0)

    def _wrong(self, what: str, hint: str = "") -> CaseError:
        name = getattr(self.function, "__name__", type(self.function).__name__)
        return CaseError(
            f"'{name}' returned {what}; expected the distance from the surface, negative inside.",
            hint=hint,
        )

    def _at(self, coordinates: Sequence[NDArray[np.float64]]) -> NDArray[Any]:
        with np.errstate(all="ignore"):
            return evaluated(self.function, coordinates)

    def crossings(self, grid: Grid, cells: NDArray[np.int64], link: Offset) -> NDArray[np.float64]:
        """Return where the function is zero on links, found by halving.

        Half-way, if it is not negative at the end: across a periodic side, of a body that does not
        go on there.
        """
        points = np.array(grid.origin) + (cells + 0.5) * grid.spacing
        step = np.multiply(link, grid.spacing)
        low, high = np.zeros(len(points)), np.ones(len(points))
        is_cut = self._at((points + step).T) <= 0.0
        for _ in range(_HALVINGS):
            middle = 0.5 * (low + high)
            is_outside = self._at((points + middle[:, None] * step).T) > 0.0
            low, high = np.where(is_outside, middle, low), np.where(is_outside, high, middle)
        return np.where(is_cut, high, 0.5)


class Body(Frozen):
    """A solid body, or several, with walls inside cells.

    Attributes:
        surface: Where it ends: a function of the coordinates of the grid that returns how far away
            the surface is, negative inside, for arrays of points; or a surface of triangles, as
            'read_surface' returns. Only where the function is zero counts: any unit will do.
        velocity: Of the wall, along the surface: one component an axis [cells / step], or a
            function of the coordinates of the grid that returns them, arithmetic and 'hc' functions
            only; empty at rest. Flows are steady for ever up to 3 times the viscosity; with 5 times
            errors grew in 100 000 steps.
        name: Its name in messages.

    Example:
        >>> ball = lbm.Body(lambda x, y: np.hypot(x - 20, y - 20) - 5.0)
    """

    surface: Callable[..., Any] | Shape
    velocity: tuple[float, ...] | Callable[..., Sequence[Any]] = ()
    name: str = "body"

    @property
    def shape(self) -> Shape:
        """Its surface, seen from cells and links."""
        return SignedDistance(self.surface) if callable(self.surface) else self.surface

    @property
    def is_moving(self) -> bool:
        """Whether its wall moves."""
        return callable(self.velocity) or len(self.velocity) > 0

    def cells(self, grid: Grid) -> NDArray[np.bool_]:
        """Return the cells of a grid whose centre lies inside.

        Raises:
            CaseError: There are none.
        """
        inside = self.shape.inside(grid)
        if not inside.any():
            raise self.nowhere(grid)
        return inside

    def nowhere(self, grid: Grid) -> CaseError:
        """Return the error for a body without a cell of a grid."""
        faces = [grid.faces(axis) for axis in range(grid.dimensions)]
        low, high = (", ".join(f"{at[end]:g}" for at in faces) for end in (0, -1))
        return CaseError(
            f"No centre of a cell lies in the body '{self.name}'; expected some in the "
            f"domain, from ({low}) to ({high}).",
            hint="It lies outside of the domain, is thinner than a cell, or its coordinates "
            "are not those of the grid, with its 'spacing' and 'origin'.",
        )

    def velocity_at(self, point: Sequence[Any]) -> Sequence[Any]:
        """Return the velocity of the wall at a point [coordinates of the grid]."""
        if not callable(self.velocity):
            return self.velocity
        return returned(self.velocity, self.velocity(*point), len(point), "axis")


def check_bodies(bodies: Any, axes: int) -> None:
    """Raise unless a value is a sequence of bodies.

    Raises:
        CaseError: The message names the argument.
    """
    if not isinstance(bodies, Sequence) or isinstance(bodies, str):
        raise wrong("bodies", bodies, "a sequence of bodies, as (Body(distance),)")
    for number, body in enumerate(bodies):
        if not isinstance(body, Body):
            raise wrong(f"bodies[{number}]", body, "a body, as Body(distance)")
    if len(bodies) > _MOST:
        raise CaseError(
            f"{len(bodies)} bodies were given; expected at most {_MOST}.",
            hint="One function may describe several: the least of their distances.",
        )
    for body in bodies:
        _check_body(body, axes)


def _check_body(body: Body, axes: int) -> None:
    coordinates = AXES[:axes]
    if callable(body.surface):
        check_function(f"surface of {body.name}", body.surface, coordinates)
    elif not isinstance(body.surface, Shape):
        raise wrong(
            f"surface of {body.name}",
            body.surface,
            "a function of the coordinates, or a surface that was read",
            "An array of solid cells is the 'solid' of a setup.",
        )
    elif axes not in body.surface.dimensions:
        raise CaseError(
            f"The body '{body.name}' is a surface in space; expected a function of x and y in a "
            f"flow of {axes} axes."
        )
    if callable(body.velocity):
        check_function(f"velocity of {body.name}", body.velocity, coordinates)
    elif not isinstance(body.velocity, Sequence) or len(body.velocity):
        check_vector(f"velocity of {body.name}", body.velocity, axes)


def owners(bodies: Sequence[Body], grid: Grid) -> NDArray[np.uint8]:
    """Return of each cell of a grid the number of its body, from 1, and 0 where there is none.

    Where bodies overlap, the one given last has the cell.

    Raises:
        CaseError: A body has no cell.
    """
    return numbered([body.cells(grid) for body in bodies])


def numbered(bodies: Sequence[NDArray[np.bool_]]) -> NDArray[np.uint8]:
    """Return of each cell the number of the last body that has it, from 1, and 0 for none."""
    owner = np.zeros(bodies[0].shape, np.uint8)
    for number, cells in enumerate(bodies, 1):
        owner[cells] = number
    return owner
