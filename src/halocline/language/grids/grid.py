"""Grid: the cells that fields live on, and the coarser and finer grids that belong to it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from halocline.errors import GridError, described
from halocline.geometry import AXES, Box, Offset, box_of, by_axes
from halocline.language.grids.complex_fields import ComplexField, is_complex_type
from halocline.language.grids.family import FamilyState
from halocline.language.grids.fields import Field
from halocline.language.grids.sides import names_of_sides
from halocline.language.grids.widths import (
    beyond,
    cell_widths,
    check_widths,
    faces,
    middles,
    scaled_widths,
)
from halocline.language.numbers import Range, whole_number
from halocline.language.place import user_place
from halocline.language.spaces.location import Location
from halocline.language.spaces.space import Space
from halocline.language.spaces.translations import scaled_shifts, shifts_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Grid:
    """A block of cells with coordinates, in one to three dimensions.

    Grids made of each other by 'coarsen' and 'refine' are a family: their fields may be used by one
    kernel, and names of fields are unique among them. Several simulations may run on one grid, one
    after the other: each goes on with the values that the fields have.

    Args:
        extent: Cells along x, y, z; a number for one axis.
        periodic: Whether the grid closes on itself, for all axes or for each.
        spacing: Edge length of a cell, for all axes or for each: a number, or for an axis that is
            stretched an array with the width of each cell.
        origin: Coordinate of the low corner of the domain.
        shift: What leaves the domain across x+ at y enters across x- at y + s: {"x": (0, s)}. By
            the axis of periodic sides how many cells it is moved along each axis.

    Example:
        >>> hc.Grid((64, 32), periodic=(True, False), spacing=0.5)
        <grid of 64x32 cells, spacing 0.5, 0.5, periodic in x>
    """

    extent: tuple[int, ...]
    periodic: Any = False
    spacing: Any = 1.0
    origin: Any = 0.0
    shift: Any = None
    # Those of the whole family.
    fields: dict[str, Field] = field(default_factory=dict, init=False, repr=False)
    state: FamilyState = field(default_factory=FamilyState, init=False, repr=False)
    # All grids of the family, the first one first.
    family: list[Grid] = field(default_factory=list, init=False, repr=False)
    # Cells for one cell of the family's first grid, along each axis.
    scale: tuple[Fraction, ...] = field(default=(), init=False, repr=False)
    # For each axis by how many cells what crosses its high side is moved; empty if it never is.
    shifts: tuple[Offset, ...] = field(default=(), init=False, repr=False)
    # Whether every block has all cells; see 'whole'.
    is_replicated: bool = field(default=False, init=False, repr=False)

    if TYPE_CHECKING:  # more may be given than the attributes hold

        def __init__(
            self,
            extent: int | Sequence[int],
            periodic: Any = False,  # noqa: FBT002 (or one for each axis)
            spacing: Any = 1.0,
            origin: Any = 0.0,
            shift: Any = None,
        ) -> None: ...

    def __post_init__(self) -> None:
        extent = tuple(self.extent) if np.iterable(self.extent) else (self.extent,)
        if not 1 <= len(extent) <= len(AXES) or not all(map(_is_count, extent)):
            raise GridError(
                f"A grid of extent {self.extent!r} was asked for; expected one to three positive "
                "whole numbers.",
                hint="Write, for example, Grid((64, 64, 32)).",
            )
        object.__setattr__(self, "extent", tuple(int(n) for n in extent))
        object.__setattr__(self, "periodic", self._each_axis("periodic", bool))
        object.__setattr__(self, "origin", self._each_axis("origin", float))
        object.__setattr__(self, "spacing", self._each_axis("spacing", cell_widths))
        check_widths(self.spacing, self.extent)
        if not all(math.isfinite(o) for o in self.origin):
            raise GridError(f"A grid's origin at {self.origin} was given; expected finite numbers.")
        stretched = [axis for axis in range(self.dimensions) if self.is_stretched(axis)]
        shifts = shifts_of(self.shift, self.extent, self.periodic, stretched)
        object.__setattr__(self, "shifts", shifts)
        object.__setattr__(self, "scale", (Fraction(1),) * self.dimensions)
        self.family.append(self)

    def _each_axis(self, name: str, convert: Callable[[Any], Any]) -> tuple[Any, ...]:
        value = getattr(self, name)
        is_list = np.iterable(value) and not isinstance(value, str)
        values = tuple(value) if is_list else (value,) * self.dimensions
        if len(values) != self.dimensions:
            raise GridError(
                f"'{name}' has {len(values)} entries; expected one or {self.dimensions}, the "
                "number of the grid's axes."
            )
        try:
            return tuple(convert(v) for v in values)
        except (TypeError, ValueError):
            raise GridError(
                f"'{name}' was given {described(value)}; expected "
                f"{'truth values' if convert is bool else 'numbers'}."
            ) from None

    def __repr__(self) -> str:
        """Return what is special about the grid."""
        names = ", ".join(field.name for field in self.declared)
        return f"<{self.title}; fields {names}>" if names else f"<{self.title}>"

    @property
    def declared(self) -> list[Field]:
        """The fields that users have declared on the grid itself."""
        return [one for one in self.fields.values() if one.grid is self and not one.is_hidden]

    @property
    def title(self) -> str:
        """What is special about the grid, in words."""
        closed = "".join(axis for axis, closes in zip(AXES, self.periodic, strict=False) if closes)
        widths = (
            f"{h.min():g} to {h.max():g}" if isinstance(h, np.ndarray) else f"{h:g}"
            for h in self.spacing
        )
        title = f"grid of {by_axes(self.extent)} cells, spacing {', '.join(widths)}"
        return f"{title}, periodic in {closed}" if closed else title

    @property
    def dimensions(self) -> int:
        """Number of axes."""
        return len(self.extent)

    @property
    def sides(self) -> tuple[str, ...]:
        """Names of the sides where the grid does not close: 'x-', …, in their order."""
        names = names_of_sides(self.dimensions)
        return tuple(side for side in names if not self.periodic[AXES.index(side[0])])

    @property
    def domain(self) -> Box:
        """All cells, as a box."""
        return box_of(self.extent)

    @property
    def first(self) -> Grid:
        """The grid that the family began with."""
        return self.family[0]

    def is_stretched(self, axis: int) -> bool:
        """Return whether the cells along an axis have widths of their own."""
        return isinstance(self.spacing[axis], np.ndarray)

    def faces(self, axis: int) -> NDArray[np.float64]:
        """Return the coordinates of the faces along an axis, one more than there are cells."""
        return faces(self.origin[axis], self.spacing[axis], self.extent[axis])

    def space_with(self, axes: str) -> Space:
        """Return the index space of fields in the cells that have some axes."""
        lacks = tuple(axis not in axes for axis in AXES[: self.dimensions])
        closing = (0,) * self.dimensions
        return Space(
            self.extent,
            self.periodic,
            self.scale,
            lacks,
            closing,
            shifts=self.shifts,
            is_replicated=self.is_replicated,
        )

    @property
    def space(self) -> Space:
        """The index space of fields in the cells."""
        return self.space_with(AXES)

    def field(  # noqa: PLR0913 (editors show them)
        self,
        name: str,
        *,
        dtype: Any = "float64",
        components: int = 1,
        location: str = "center",
        axes: str | None = None,
        unit: str = "",
        description: str = "",
        layout: str = "soa",
        alignment: int | None = None,
    ) -> Field:
        """Declare a field.

        Args:
            name: Its name in plans, reports and files; unique among grids of one family.
            dtype: Type of its numbers, by its name or NumPy's; 'complex128' and 'complex64' make a
                'ComplexField'.
            components: Numbers a cell.
            location: 'center', 'x_face', …; where an axis does not close there is a face more than
                there are cells.
            axes: 'xyz', or fewer: 'xy' for a surface, 'z' for a profile, the same for all places
                along the others; None for all of the grid.
            unit: As CF conventions write it.
            description: One phrase.
            layout: 'soa': each component lies by itself, or 'aos': those of a cell lie side by
                side.
            alignment: Rows begin at multiples of it, a power of two [bytes]; None for a cache line,
                128 on a device.

        Raises:
            GridError: The name is taken, or a value is unknown.
        """
        if not name.isidentifier() or name in self.fields:
            reason = "is taken on this grid" if name in self.fields else "is not an identifier"
            raise GridError(f"The field name '{name}' {reason}.", hint="Choose another name.")
        kind = ComplexField if is_complex_type(dtype) else Field
        self.fields[name] = result = kind(
            self,
            name,
            dtype=dtype,
            components=components,
            location=location,
            axes=axes,
            unit=unit,
            description=description,
            layout=layout,
            alignment=alignment,
        )
        return result

    def hidden_field(
        self, name: str, *, dtype: str, axes: str, location: str = "center", components: int = 1
    ) -> Field:
        """Return a field that steps need beside the user's own: the one of this name, or a new one.

        Users do not see it: it is neither written out nor kept in checkpoints.
        """
        name = f"{name}_{dtype}_{axes}_{location}_on_{by_axes(self.extent)}"
        name += "_whole" * self.is_replicated
        hidden = self.fields.get(name)
        if hidden is None or not hidden.is_hidden:
            name += "_" * (name in self.fields)
            hidden = self.field(
                name, dtype=dtype, axes=axes, location=location, components=components
            )
            hidden.is_hidden = True
        return hidden

    def coordinates(
        self, location: str, box: Box, axes: str = AXES
    ) -> tuple[NDArray[np.float64], ...]:
        """Return where values at a location in a box of cells lie, an array an axis, to broadcast.

        Args:
            location: See 'field'.
            box: The cells.
            axes: Along which axes.
        """
        wanted = [axis for axis in range(self.dimensions) if AXES[axis] in axes]
        result = []
        for position, axis in enumerate(wanted):
            offset = Location(location).offset(axis)
            if self.is_stretched(axis):
                at = self.faces(axis)
                at = middles(at) if offset else at
                at = at[box.lower[axis] : box.upper[axis]]
            else:
                index = np.arange(box.lower[axis], box.upper[axis]) + offset
                at = self.origin[axis] + index * self.spacing[axis]
            shape = [1] * len(wanted)
            shape[position] = -1
            result.append(at.reshape(shape))
        return tuple(result)

    def places(
        self, axis: int, coordinates: NDArray[np.float64], *, on_faces: bool
    ) -> NDArray[np.float64]:
        """Return where coordinates lie along an axis, counted in its values, linear in between.

        Args:
            axis: The axis.
            coordinates: Within the domain.
            on_faces: Whether values lie on the faces across it.
        """
        widths = self.spacing[axis]
        if not self.is_stretched(axis):
            at = (coordinates - self.origin[axis]) / widths
            counted: NDArray[np.float64] = at if on_faces else at - 0.5
            return counted
        wide = beyond(widths, 1, is_periodic=self.periodic[axis])
        at = faces(self.origin[axis] - wide[0], wide, len(wide))
        at = at if on_faces else middles(at)
        between: NDArray[np.float64] = np.interp(coordinates, at, np.arange(len(at)) - 1.0)
        return between

    def coarsen(self, ratio: int | Sequence[int] = 2) -> Grid:
        """Return the grid of the same domain with fewer cells: one for 'ratio' along each axis.

        Args:
            ratio: A whole number, or one for each axis.

        Raises:
            GridError: A ratio does not divide the extent.
        """
        ratios = self._ratios("coarsen", ratio)
        for axis, (n, r) in enumerate(zip(self.extent, ratios, strict=True)):
            if n % r:
                divisors = [d for d in range(2, n + 1) if n % d == 0]
                raise GridError(
                    f"A grid of {n} cells along {AXES[axis]} was to be coarsened by {r}, which "
                    "does not divide that.",
                    hint=f"{n} can be divided by {', '.join(map(str, divisors[:6]))}.",
                    place=user_place(),
                )
        return self._related(tuple(Fraction(1, r) for r in ratios))

    def refine(self, ratio: int | Sequence[int] = 2) -> Grid:
        """Return the grid of the same domain with 'ratio' cells for one along each axis.

        Args:
            ratio: A whole number, or one for each axis.
        """
        return self._related(tuple(map(Fraction, self._ratios("refine", ratio))))

    def replicated(self) -> Grid:
        """Return the grid of the same cells of which every block has all, not only its own.

        Kernels that use fields of replicated grids alone compute them alike on every block, and
        nothing is sent. What a kernel makes of other fields for a replicated one, each block
        computes for its own cells, and all others get it: an exchange among all ranks, worth it for
        few cells. Coarser and finer grids made of a replicated one are replicated, too.
        """
        return self._member(self.scale, is_replicated=True)

    def _ratios(self, what: str, ratio: int | Sequence[int]) -> tuple[int, ...]:
        values = tuple(ratio) if np.iterable(ratio) else (ratio,) * self.dimensions
        if len(values) != self.dimensions:
            raise GridError(
                f"'{what}' was given {len(values)} ratios; expected one or {self.dimensions}, the "
                "number of the grid's axes.",
                place=user_place(),
            )
        return tuple(whole_number(f"'{what}'", value, Range(least=1)) for value in values)

    def _related(self, factor: tuple[Fraction, ...]) -> Grid:
        """Return the family's grid with so many cells for one of this, maybe a new one."""
        scale = tuple(s * f for s, f in zip(self.scale, factor, strict=True))
        return self._member(scale, is_replicated=self.is_replicated)

    def _member(self, scale: tuple[Fraction, ...], *, is_replicated: bool) -> Grid:
        """Return one of the family's grids, maybe a new one."""
        for grid in self.family:
            if (grid.scale, grid.is_replicated) == (scale, is_replicated):
                return grid
        shifts = scaled_shifts(self.first.shifts, scale)
        result = replace(
            self,
            shift={AXES[axis]: cells for axis, cells in enumerate(shifts)},
            extent=tuple(int(n * s) for n, s in zip(self.first.extent, scale, strict=True)),
            spacing=tuple(map(scaled_widths, self.first.spacing, scale)),
        )
        for shared in ("fields", "state", "family"):
            object.__setattr__(result, shared, getattr(self, shared))
        object.__setattr__(result, "scale", scale)
        object.__setattr__(result, "is_replicated", is_replicated)
        self.family.append(result)
        return result


def _is_count(n: Any) -> bool:
    return isinstance(n, int | float | np.number) and bool(n >= 1) and float(n).is_integer()


def same_family(fields: Sequence[Field], where: str) -> Grid:
    """Return the first grid of the family of all fields, or refuse fields of several families."""
    first = fields[0].grid.first
    for other in fields[1:]:
        if other.grid.first is not first:
            raise GridError(
                f"{where} was given '{fields[0].name}' of grid {fields[0].grid.extent} and "
                f"'{other.name}' of another grid {other.grid.extent}; expected fields of one grid.",
                hint="Declare both with the same Grid object, or with grids made of it by "
                "'coarsen' and 'refine'.",
            )
    return first
