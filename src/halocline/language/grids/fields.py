"""Field: values on a grid, which get their storage from a simulation."""

from __future__ import annotations

from functools import cached_property
from math import inf
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from msgspec.structs import replace

from halocline.errors import GridError, KernelError, nearest
from halocline.geometry import AXES
from halocline.language.digest import digest_values
from halocline.language.expressions import expr, operators
from halocline.language.expressions.component import access
from halocline.language.expressions.kernel import DTYPES, LAYOUTS, FieldType
from halocline.language.grids.arrays import data_array, is_of_leaf, is_slicing, sliced
from halocline.language.grids.conditions import declare
from halocline.language.grids.initial import initial_values, share
from halocline.language.grids.sides import Part
from halocline.language.numbers import number
from halocline.language.place import user_place
from halocline.language.spaces.location import Location
from halocline.language.spaces.space import Ratio, Space

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from halocline.geometry import Box
    from halocline.language.grids.family import CollectiveCalls
    from halocline.language.grids.grid import Grid
    from halocline.language.grids.initial import InitialValues


# What no quantity reaches in any unit, and a computation that grows without bound soon passes.
_LARGEST = {"float16": 65504.0, "float32": 1e30, "float64": 1e100}

# What all memory begins at multiples of, on devices too [bytes].
_MOST_ALIGNED = 256


class Storage(Protocol):
    """Where the values of one field live; made by a simulation."""

    @property
    def job(self) -> CollectiveCalls:
        """The ranks."""

    def assign(self, values: InitialValues) -> None:
        """Give the rank's own cells new values."""

    def assign_beside(self, values: Callable[[Box], Any]) -> None:
        """Give cells along the borders of a forest's levels values."""

    def local(self) -> list[NDArray[Any]]:
        """Return views of the rank's own cells, one for each block."""

    def on_device(self) -> list[Any]:
        """Return the rank's own cells where kernels use them, one for each block."""

    def gather(self, box: Box | None = None, *, everywhere: bool = False) -> NDArray[Any] | None:
        """Return the values of all cells or of a box, on rank 0 or everywhere; None elsewhere."""

    def gather_boxes(self, boxes: Sequence[Box], component: int) -> list[NDArray[Any]] | None:
        """Return one component in some boxes on rank 0; None elsewhere."""


class Field(operators.Operand):
    """Values on a grid: one or several components per cell.

    Made by 'Grid.field'. In an expression outside a kernel the name stands for the value in each
    cell; of a field with components 'field[0]', … do.

    Example:
        >>> T = hc.Grid((8, 8)).field("T")
        >>> T.set(lambda x, y: x + y)
        >>> T
        Field('T', float64, components=1)
    """

    def __init__(  # noqa: PLR0913 (the options of a field)
        self,
        grid: Grid,
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
    ) -> None:
        self.grid = grid
        self.name = name
        self.dtype = _dtype_name(name, dtype)
        # Those of the grid that it has: 'xyz', 'xy' for a surface, …
        self.axes = AXES[: grid.dimensions] if axes is None else axes
        self.location = _location(name, location)
        self.unit, self.description = unit, description
        self.components = components
        _check(self, layout, alignment)
        # With one component both layouts are the same.
        self.layout = layout if components > 1 else "soa"
        self.alignment = alignment or 0
        # The step that gives a hidden one its values before all others, if one does.
        self.filled_by: Any = None
        # Whether it was made for steps, not by the user.
        self.is_hidden = False
        # What fills the layers beyond a side; see 'boundary.boundary_calls'.
        self.boundaries: dict[str, tuple[Part, ...]] = {}
        # The least and the greatest value that are right; None if none is wrong.
        largest = _LARGEST.get(self.dtype)
        self.allowed = None if largest is None else (-largest, largest)
        # What it was set to, until a simulation stores it.
        self.initial: InitialValues | None = None
        # Whether it was given values, and whether some of the last ones were NaN.
        self.is_set = False
        self.is_set_to_nan = False
        # What solves equations for it that may have no solution, as users call it.
        self.solved_by = ""
        # The function or number that it was set to.
        self.given: Any = None
        # A digest of all that it was set to.
        self.digest = 0
        self.storage: Storage | None = None

    def __repr__(self) -> str:
        """Return a short description."""
        return f"Field({self.name!r}, {self.dtype}, components={self.components})"

    def type_as(self, name: str, ratio: Ratio = ()) -> FieldType:
        """Return what kernels and plans know of the field, under a name of theirs."""
        return FieldType(name, self.dtype, self.components, self.layout, self.alignment, ratio)

    @property
    def dimensions(self) -> int:
        """Number of the grid's axes."""
        return self.grid.dimensions

    @property
    def per_cell(self) -> int:
        """How many values a cell has: its components."""
        return self.components

    def joined(self, components: NDArray[Any]) -> NDArray[Any]:
        """Return the values of all components as users see them."""
        return components

    @cached_property
    def space(self) -> Space:
        """Its index space."""
        cells: Space = self.grid.space_with(self.axes)
        return replace(cells, closing=self.location.extra_faces(self.grid.periodic))

    def coordinates(self, box: Box) -> tuple[NDArray[np.float64], ...]:
        """Return where its values in a box lie: an array for each of its axes, to broadcast."""
        return self.grid.coordinates(self.location, box, self.axes)

    @property
    def spacing(self) -> tuple[float, ...]:
        """Edge lengths of a cell [length unit]."""
        spacing: tuple[float, ...] = self.grid.spacing
        return spacing

    def set(self, values: Any) -> None:
        """Give every cell a value, now: what changes later in an array or a function has no effect.

        Each rank evaluates a function in some of the cells only: its own, once it has a simulation.

        Args:
            values: A number; an array of the extent of all its cells, of the axes that it has, for
                several components with the component first: (components, nx, ny, nz), where an axis
                along which values do not change may have one entry; or a function of the
                coordinates x, y, z of the axes of the field, at its location. The function is
                called with arrays that broadcast to the extent of a box of cells, and returns
                values of the shapes above.

        Raises:
            GridError: Shape, type or the function's arguments do not fit the field.
        """
        self.initial = initial_values(self, self.own_boxes(), values)
        self.is_set = True
        self.is_set_to_nan = self.initial.has_nan
        self.digest = digest_values(self.digest, values)
        self.given = values if callable(values) or np.ndim(values) == 0 else None
        if self.storage is not None:
            self.storage.assign(self.initial)
            self.initial = None
            self.set_beside()

    def set_beside(self) -> None:
        """Give cells along the borders of a forest's levels what the field was set to."""
        if self.grid.state.forest is not None and self.storage is not None:
            given = 0 if self.given is None else self.given

            def values(box: Box) -> Any:
                return initial_values(self, [box], given).arrays[0] if callable(given) else given

            self.storage.assign_beside(values)

    def own_boxes(self) -> tuple[Box, ...]:
        """Return its cells that this rank has, each box once."""
        own = self.grid.state.own_boxes
        boxes = share(self.grid, self.space) if own is None else own(self.space)
        return tuple(box for box in dict.fromkeys(boxes) if not box.is_empty)

    def boundary(
        self, side: str | Sequence[str], condition: Any, *, where: Any = None, **scalars: Any
    ) -> None:
        """Say how the layers beyond a side of the domain are filled before a kernel reads them.

        Where layers of two sides meet, the side declared last decides. A kernel runs on each layer
        that is read, the innermost first; see 'hc.layer'. Between two runs a boundary may change;
        the next one begins by planning its steps anew.

        Args:
            side: 'x-', 'x+', 'y-', … or several: ('x-', 'x+'); all are 'grid.sides'.
            condition: 'Dirichlet', 'Neumann', 'Robin', or a kernel of one field that runs on the
                layer; one that reads others, too, is called by a function:
                'lambda T, on: fill(T, other, on=on)'.
            where: On which part of the side, the part declared last decides; None for the rest. A
                box of cells, whose extent across the side does not matter; an array of truth values
                of the side's cells; a function of the other coordinates that returns one; or a
                field without the axis across the side, which may change.
            scalars: Keyword arguments of that kernel.

        Raises:
            GridError: The side does not exist, or the grid is periodic there.
        """
        for name in side if isinstance(side, list | tuple) else (side,):
            declare(self, name, condition, where, scalars)

    def limits(self, low: float | None = None, high: float | None = None) -> None:
        """Say which values are right: a run fails that leads to others.

        Fields are searched for these every 'check_every' steps (see 'Simulation') and at the end of
        a run. Unless this says otherwise, sizes up to 1e100 are right (1e30 in single precision): a
        computation that grows without bound passes them on its way to infinity. Example:
        'T.limits(0, 1000)'.

        Args:
            low: The least value that is right [the field's unit]; None for any.
            high: The greatest; None for any.

        Raises:
            GridError: These are no numbers, or no value lies between them.
        """
        least = (
            -inf if low is None else number(f"Limit 'low' of field '{self.name}'", low, GridError)
        )
        most = (
            inf if high is None else number(f"Limit 'high' of field '{self.name}'", high, GridError)
        )
        if not least < most:
            raise GridError(
                f"Field '{self.name}' was given the limits {least:g} and {most:g}; expected the "
                "least value first, then a greater one.",
                place=user_place(),
            )
        self.allowed = least, most
        self.grid.state.boundaries += 1

    def local(self) -> list[NDArray[Any]]:
        """Return views of this rank's cells, one for each block, x first: (nx, ny, nz).

        Fields with several components have the component first: (components, nx, ny, nz). Ask again
        after 'Simulation.rebuild'; with a device after each run.
        """
        return self.stored().local()

    def on_device(self) -> list[Any]:
        """Return this rank's cells in the memory where kernels use them, shaped as 'local'.

        One for each block, for 'from_dlpack' of NumPy, CuPy, PyTorch or JAX; nothing is copied.
        What is written into them is seen by the next step. Ask again after each run: fields may
        have been swapped. On the processor they are the same memory as 'local'.
        """
        return self.stored().on_device()

    # 'Any' instead of None: programs ask whether they are rank 0, which no type says.
    def gather(self, key: Any = ...) -> NDArray[Any] | Any:
        """Return the values of all cells on rank 0; None on other ranks.

        Shaped (nx, ny, nz); with several components (components, nx, ny, nz). Collective.

        Args:
            key: Of which cells: slices and indices as of a NumPy array of all, such as
                np.s_[:, 10].
        """
        return sliced(self, key, self.stored(), everywhere=False)

    def to_xarray(self) -> Any:
        """Return the values of all cells with their coordinates as an xarray.DataArray.

        On rank 0; None on other ranks. On a level of a forest cells without a leaf are missing
        (NaN). Collective.
        """
        values = self.gather()
        if values is None:
            return None
        found, forest = data_array(self, values), self.grid.state.forest
        return found if forest is None else found.where(is_of_leaf(self, forest))

    def stored(self) -> Storage:
        """Return where its values are.

        Raises:
            GridError: No simulation has stored it yet.
        """
        if self.storage is None:
            raise GridError(
                f"Field '{self.name}' is not stored yet: that is done when its simulation first "
                "runs.",
                hint="Ask after simulation.run(…), or write simulation.run(0) before."
                if self.grid.state.own_boxes is not None
                else "Make a Simulation of its grid, and run it.",
                place=user_place(),
            )
        return self.storage

    def __setitem__(self, key: Any, value: Any) -> None:
        """Refuse to be assigned outside of a kernel."""
        raise KernelError(
            f"Field '{self.name}' was assigned outside of a kernel.",
            hint="Write @hc.kernel before the function that does it, or give all cells their "
            f"values with {self.name}.set(…).",
            place=user_place(),
        )

    def expression(self) -> expr.Expr:
        """Return the value in the cell itself.

        Raises:
            KernelError: There are several, one for each component.
        """
        if self.components > 1:
            raise KernelError(
                f"The field '{self.name}' stands in an expression with all of its "
                f"{self.components} components; expected one of them.",
                hint=f"Write {self.name}[0]. Alone in hc.sum, hc.min or hc.max a field may have "
                "all.",
                place=user_place(),
            )
        return expr.Read(self.name, 0, (0,) * self.grid.dimensions)

    def __getitem__(self, key: Any) -> Any:
        """Return a component, or the value at an offset, for use in a reduction.

        With a slice or an ellipsis, as T[:, 10] or T[...], the values of these cells of the whole
        grid on every rank, as of a NumPy array; collective.
        """
        if is_slicing(key):
            return sliced(self, key, self.stored(), everywhere=True)
        return access(self.name, self.components, self.space, key)

    def __iter__(self) -> Iterator[Any]:
        """Yield each component, for use in a reduction."""
        return (self[q] for q in range(self.per_cell)) if self.per_cell > 1 else iter((self,))


def _check(field: Field, layout: str, alignment: int | None) -> None:
    """Refuse options that have no meaning."""
    _check_axes(field)
    if field.components < 1:
        raise GridError(f"Field '{field.name}' was given {field.components} components.")
    if layout not in LAYOUTS:
        raise GridError(
            f"Field '{field.name}' has the unknown layout '{layout}'.",
            hint=nearest(layout, LAYOUTS),
        )
    _check_alignment(field, alignment)


def _check_axes(field: Field) -> None:
    axes, known = field.axes, AXES[: field.dimensions]
    is_right = isinstance(axes, str) and axes == "".join(a for a in known if a in axes)
    if not is_right or not axes:
        raise GridError(
            f"Field '{field.name}' was given the axes {axes!r}; expected some of '{known}', in "
            "order.",
            hint="A number that is the same everywhere is an hc.Parameter." if axes == "" else "",
            place=user_place(),
        )
    for across, shift in enumerate(field.grid.shifts):
        moved = [a for a, cells in zip(known, shift, strict=True) if cells and a in axes]
        if moved and known[across] not in axes:
            raise GridError(
                f"Field '{field.name}' was given the axes '{axes}', but the grid shifts along "
                f"{moved[0]} across {known[across]}: its values there would be others.",
                hint=f"Give it the axis {known[across]}, too, or leave out {moved[0]}.",
                place=user_place(),
            )
    if any(AXES[axis] not in axes for axis in field.location.faces):
        raise GridError(
            f"Field '{field.name}' with the axes '{axes}' was given the location "
            f"'{field.location}', between cells along an axis that it lacks.",
            place=user_place(),
        )


def _location(name: str, location: str) -> Location:
    try:
        return Location(location)
    except ValueError:
        raise GridError(
            f"Field '{name}' has the unknown location '{location}'.",
            hint=nearest(str(location), tuple(Location)),
        ) from None


def _dtype_name(name: str, dtype: Any) -> str:
    try:
        result: str = np.dtype(dtype).name
    except TypeError:
        result = str(dtype)
    if result not in DTYPES:
        raise GridError(
            f"Field '{name}' has the unknown dtype '{dtype}'.", hint=nearest(result, DTYPES)
        )
    return result


def _check_alignment(field: Field, alignment: int | None) -> None:
    least = np.dtype(field.dtype).itemsize
    if alignment is None or (
        isinstance(alignment, int)
        and least <= alignment <= _MOST_ALIGNED
        and alignment.bit_count() == 1
    ):
        return
    raise GridError(
        f"Field '{field.name}' was given the alignment {alignment!r}; expected a power of two from "
        f"{least}, one number, to {_MOST_ALIGNED} bytes."
    )
