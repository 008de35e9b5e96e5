"""Grid and Field: what the user declares; a grid's fields get their storage from a simulation."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from halocline.errors import GridError, KernelError, described, nearest
from halocline.geometry import AXES, Box, box_of
from halocline.language import expr, operators
from halocline.language.initial import initial_values, share
from halocline.language.kernel import DTYPES, LAYOUTS, FieldType
from halocline.language.place import user_place
from halocline.language.sides import parse_side
from halocline.language.told import told

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from halocline.language.initial import InitialValues


LOCATIONS = ("center", "x_face", "y_face", "z_face", "xy_edge", "xz_edge", "yz_edge")

# What all memory begins at multiples of, on devices too [bytes].
_MOST_ALIGNED = 256

# Far outside any grid, yet small enough that sums of a few of them fit in 64 bits.
UNBOUNDED = 1 << 40


class Storage(Protocol):
    """Where the values of one field live; made by a simulation."""

    def assign(self, values: InitialValues) -> None:
        """Give the rank's own cells new values."""

    def local(self) -> list[NDArray[Any]]:
        """Return views of the rank's own cells, one for each block."""

    def on_device(self) -> list[Any]:
        """Return the rank's own cells where kernels use them, one for each block."""

    def gather(self) -> NDArray[Any] | None:
        """Return the values of all cells on rank 0, None elsewhere."""


class Field(operators.Operand):
    """Values on a grid: one or several components per cell.

    Made by 'Grid.field'. In an expression outside a kernel the name stands for the value of the
    (first component of the) field in each cell.
    """

    def __init__(self, grid: Grid, name: str, **options: Any) -> None:
        self.grid = grid
        self.name = name
        self.dtype: str = str(options.get("dtype", "float64"))
        self.components: int = options.get("components", 1)
        self.location: str = options.get("location", "center")
        # With one component both layouts are the same.
        self.layout: str = options.get("layout", "soa") if self.components > 1 else "soa"
        self.alignment: int = options.get("alignment") or 0
        self.unit: str = options.get("unit", "")
        self.description: str = options.get("description", "")
        # What fills the layers beyond a side; see 'boundary.boundary_calls'.
        self.boundaries: dict[str, Any] = {}
        # What it was set to, until a simulation stores it.
        self.initial: InitialValues | None = None
        self.is_set_to_nan = False
        # A digest of all that it was set to.
        self.told = 0
        self.storage: Storage | None = None

    def __repr__(self) -> str:
        """Return a short description."""
        return f"Field({self.name!r}, {self.dtype}, components={self.components})"

    def type_as(self, name: str) -> FieldType:
        """Return what kernels and plans know of the field, under a name of theirs."""
        return FieldType(name, self.dtype, self.components, self.layout, self.alignment)

    @property
    def dimensions(self) -> int:
        """Number of the grid's axes."""
        return self.grid.dimensions

    @property
    def spacing(self) -> tuple[float, ...]:
        """Edge lengths of a cell [length unit]."""
        spacing: tuple[float, ...] = self.grid.spacing
        return spacing

    def set(self, values: Any) -> None:
        """Give every cell a value, now: what changes later in an array or a function has no effect.

        Each rank evaluates a function in some of the cells only: its own, once it has a simulation.

        Args:
            values: A number; an array of the grid's extent, for several components with the
                component first: (components, nx, ny, nz); or a function of the coordinates x, y, z
                of the field's location, called with arrays that broadcast to the extent of a box of
                cells and returning values of the same shapes as above.

        Raises:
            GridError: Shape, type or the function's arguments do not fit the field.
        """
        boxes = self.grid.own or share(self.grid)
        self.initial = initial_values(self, boxes, values)
        self.is_set_to_nan = self.initial.has_nan
        self.told = told(self.told, values)
        if self.storage is not None:
            self.storage.assign(self.initial)
            self.initial = None

    def boundary(self, side: str, condition: Any, **scalars: Any) -> None:
        """Say how the layers beyond a side of the domain are filled before a kernel reads them.

        Where layers of two sides meet, the side declared last decides.

        Args:
            side: 'x-', 'x+', 'y-', …
            condition: 'Dirichlet', 'Neumann', or a kernel of one field that runs on the layer.
            scalars: Keyword arguments of that kernel.

        Raises:
            GridError: The side does not exist, or the grid is periodic there.
        """
        axis, _ = parse_side(self.grid, side)
        if self.grid.periodic[axis]:
            raise GridError(
                f"Field '{self.name}' was given a boundary on side '{side}', but the grid is "
                f"periodic in {AXES[axis]}.",
                hint="Make the grid non-periodic on that axis or drop the boundary.",
            )
        if self.storage is not None:
            raise GridError(
                f"Field '{self.name}' was given a boundary on side '{side}' after its simulation "
                "had begun.",
                hint="Give all boundaries before the first run.",
            )
        if isinstance(condition, str) or not (hasattr(condition, "calls") or callable(condition)):
            raise GridError(
                f"Field '{self.name}' was given {described(condition)} as boundary on side "
                f"'{side}'; expected hc.Dirichlet(value), hc.Neumann(gradient) or a kernel of one "
                "field.",
                place=user_place(),
            )
        if hasattr(condition, "check"):
            condition.check(self, side)
        self.boundaries.pop(side, None)
        self.boundaries[side] = condition if not scalars else _bind_later(condition, scalars)

    def local(self) -> list[NDArray[Any]]:
        """Return views of this rank's cells, one for each block, x first: (nx, ny, nz).

        Fields with several components have the component first: (components, nx, ny, nz).
        """
        return self._stored().local()

    def on_device(self) -> list[Any]:
        """Return this rank's cells in the memory where kernels use them, shaped as 'local'.

        One for each block, for 'from_dlpack' of NumPy, CuPy, PyTorch or JAX; nothing is copied.
        What is written into them is seen by the next step. Ask again after each run: fields may
        have been swapped. On the processor they are the same memory as 'local'.
        """
        return self._stored().on_device()

    def gather(self) -> NDArray[Any] | None:
        """Return the values of all cells on rank 0, shaped as 'local'; None on other ranks.

        Collective.
        """
        return self._stored().gather()

    def _stored(self) -> Storage:
        if self.storage is None:
            raise GridError(
                f"Field '{self.name}' is not stored yet: that is done when its simulation first "
                "runs.",
                hint="Ask after simulation.run(…), or write simulation.run(0) before."
                if self.grid.own
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
        """Return the value of component 0 in the cell itself."""
        return expr.Read(self.name, 0, (0,) * self.grid.dimensions)

    def __getitem__(self, key: Any) -> Any:
        """Return a component, or the value at an offset, for use in a reduction."""
        return operators.access(self.name, self.components, self.grid.dimensions, key)


def _bind_later(condition: Callable[..., Any], scalars: dict[str, Any]) -> Callable[..., Any]:
    """Return a condition that passes its keyword arguments when called."""
    return lambda field, **region: condition(field, **region, **scalars)


@dataclass(frozen=True, eq=False)
class Grid:
    """A block of cells with coordinates, in one to three dimensions.

    Args:
        extent: Cells along x, y, z.
        periodic: Whether the grid closes on itself, for all axes or for each.
        spacing: Edge length of a cell, for all axes or for each.
        origin: Coordinate of the low corner of the domain.
    """

    extent: tuple[int, ...]
    periodic: Any = False
    spacing: Any = 1.0
    origin: Any = 0.0
    fields: dict[str, Field] = field(default_factory=dict, repr=False)
    # The cells that this rank has, once there is a simulation that says so.
    own: list[Box] = field(default_factory=list, init=False, repr=False)

    def __post_init__(self) -> None:
        extent = tuple(self.extent) if np.iterable(self.extent) else (self.extent,)
        if not 1 <= len(extent) <= len(AXES) or not all(map(_is_count, extent)):
            raise GridError(
                f"A grid of extent {self.extent!r} was asked for; expected one to three positive "
                "whole numbers.",
                hint="Write, for example, Grid((64, 64, 32)).",
            )
        object.__setattr__(self, "extent", tuple(int(n) for n in extent))
        for name, convert in (("periodic", bool), ("spacing", float), ("origin", float)):
            object.__setattr__(self, name, self._each_axis(name, convert))
        if not all(0 < h < math.inf for h in self.spacing):
            raise GridError(
                f"A grid spacing of {self.spacing} was given; expected positive numbers."
            )
        if not all(math.isfinite(o) for o in self.origin):
            raise GridError(f"A grid's origin at {self.origin} was given; expected finite numbers.")

    def _each_axis(self, name: str, convert: type) -> tuple[Any, ...]:
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

    @property
    def dimensions(self) -> int:
        """Number of axes."""
        return len(self.extent)

    @property
    def domain(self) -> Box:
        """All cells, as a box."""
        return box_of(self.extent)

    @property
    def region(self) -> Box:
        """All cells and their periodic images."""
        return self.unbounded_where_periodic(self.domain)

    def unbounded_where_periodic(self, box: Box) -> Box:
        """Return the box without bounds on each periodic axis that it spans."""
        for axis, (n, is_periodic) in enumerate(zip(self.extent, self.periodic, strict=True)):
            if is_periodic and box.lower[axis] <= 0 and box.upper[axis] >= n:
                box = box.clip(axis, -UNBOUNDED, UNBOUNDED)
        return box

    def field(self, name: str, **options: Any) -> Field:
        """Declare a field.

        Args:
            name: Its name in plans, reports and files; unique on the grid.
            options: dtype ('float64'), components (1), location ('center', 'x_face', …),
                unit, description; layout ('soa': each component lies by itself, or 'aos': those
                of a cell lie side by side), alignment: rows begin at multiples of it (a power of
                two [bytes]; None for a cache line, 128 on a device).

        Raises:
            GridError: The name is taken, or an option or its value is unknown.
        """
        known = (
            "dtype", "components", "location", "unit", "description", "layout", "alignment",
        )  # fmt: skip
        for option in options:
            if option not in known:
                raise GridError(
                    f"Field '{name}' was given an unknown option '{option}'.",
                    hint=nearest(option, known),
                )
        if not name.isidentifier() or name in self.fields:
            reason = "is taken on this grid" if name in self.fields else "is not an identifier"
            raise GridError(f"The field name '{name}' {reason}.", hint="Choose another name.")
        if "dtype" in options:
            options["dtype"] = _dtype_name(name, options["dtype"])
        if (location := options.get("location", "center")) not in LOCATIONS:
            raise GridError(
                f"Field '{name}' has the unknown location '{location}'.",
                hint=nearest(location, LOCATIONS),
            )
        if options.get("components", 1) < 1:
            raise GridError(f"Field '{name}' was given {options['components']} components.")
        if (layout := options.get("layout", "soa")) not in LAYOUTS:
            raise GridError(
                f"Field '{name}' has the unknown layout '{layout}'.",
                hint=nearest(layout, LAYOUTS),
            )
        _check_alignment(name, options)
        self.fields[name] = result = Field(self, name, **options)
        return result

    def coordinates(self, location: str, box: Box) -> tuple[NDArray[np.float64], ...]:
        """Return the coordinates of the cells of a box, one array an axis, ready to broadcast."""
        result = []
        for axis, name in enumerate(AXES[: self.dimensions]):
            at_face = name in location.split("_", maxsplit=1)[0] and location != "center"
            index = np.arange(box.lower[axis], box.upper[axis]) + (0.0 if at_face else 0.5)
            shape = [1] * self.dimensions
            shape[axis] = -1
            result.append((self.origin[axis] + index * self.spacing[axis]).reshape(shape))
        return tuple(result)


def _is_count(n: Any) -> bool:
    return isinstance(n, int | float | np.number) and bool(n >= 1) and float(n).is_integer()


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


def _check_alignment(name: str, options: Mapping[str, Any]) -> None:
    alignment = options.get("alignment")
    least = np.dtype(options.get("dtype", "float64")).itemsize
    if alignment is None or (
        isinstance(alignment, int)
        and least <= alignment <= _MOST_ALIGNED
        and alignment.bit_count() == 1
    ):
        return
    raise GridError(
        f"Field '{name}' was given the alignment {alignment!r}; expected a power of two from "
        f"{least}, one number, to {_MOST_ALIGNED} bytes."
    )


def same_grid(fields: Sequence[Field], where: str) -> Grid:
    """Return the grid of all fields, or refuse fields of different grids."""
    grid = fields[0].grid
    for other in fields[1:]:
        if other.grid is not grid:
            raise GridError(
                f"{where} was given '{fields[0].name}' of grid {grid.extent} and '{other.name}' of "
                f"another grid {other.grid.extent}; expected fields of one grid.",
                hint="Declare both with the same Grid object.",
            )
    return grid
