"""The values of a field as arrays of the whole grid: slices of it, and with coordinates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from halocline.errors import GridError
from halocline.geometry import AXES, box_of
from halocline.installation import need
from halocline.language.place import user_place

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from halocline.language.grids.fields import Field, Storage
    from halocline.language.grids.forest import Forest
    from halocline.language.grids.grid import Grid


def is_slicing(key: Any) -> bool:
    """Return whether a subscript asks for values of many cells, not for those beside a cell."""
    entries = key if isinstance(key, tuple) else (key,)
    return any(entry is ... or isinstance(entry, slice) for entry in entries)


def sliced(field: Field, key: Any, storage: Storage, *, everywhere: bool) -> NDArray[Any] | None:
    """Return values of the whole grid, as of a NumPy array of all; collective.

    Args:
        field: The field.
        key: Slices and indices, for several components with the component first.
        storage: Where its values are.
        everywhere: Whether all ranks get them; else rank 0, and the others None.

    Raises:
        GridError: The subscript does not fit.
    """
    entries = _complete(field, key)
    component, along = entries[: -len(field.axes)], entries[-len(field.axes) :]
    for entry in component:
        _span(field, "the components", field.components, entry)
    box, inside = field.space.domain, []
    for axis, entry in zip(field.space.axes, along, strict=True):
        low, high, rest = _span(field, AXES[axis], field.space.domain.upper[axis], entry)
        box = box.clip(axis, low, high)
        inside.append(rest)
    found = storage.gather(box, everywhere=everywhere)
    return None if found is None else found[(*component, *inside)]


def _complete(field: Field, key: Any) -> list[Any]:
    """Return an entry for each axis of a field's array."""
    entries = list(key) if isinstance(key, tuple) else [key]
    count = len(field.axes) + (field.components > 1)
    given = [entry for entry in entries if entry is not ...]
    if len(entries) - len(given) > 1 or len(given) > count:
        raise GridError(
            f"Field '{field.name}' was sliced with {len(entries)} entries; expected {count} or "
            "fewer, of which one may be an ellipsis.",
            place=user_place(),
        )
    place = next((n for n, entry in enumerate(entries) if entry is ...), len(entries))
    return [*given[:place], *[slice(None)] * (count - len(given)), *given[place:]]


def _span(field: Field, along: str, n: int, entry: Any) -> tuple[int, int, Any]:
    """Return from where to where values are needed along an axis, and what to take of these."""
    try:
        found = range(n)[entry]
    except (IndexError, TypeError):
        raise GridError(
            f"Field '{field.name}' was sliced with {entry!r} along {along}; expected a slice or a "
            f"whole number from {-n} to {n - 1}.",
            place=user_place(),
        ) from None
    if not isinstance(found, range):
        return found, found + 1, 0
    if not found:
        return 0, 0, slice(None)
    return min(found[0], found[-1]), max(found[0], found[-1]) + 1, slice(None, None, found.step)


def data_array(field: Field, values: NDArray[Any], grid: Grid | None = None) -> Any:
    """Return values of all cells with their coordinates as an xarray.DataArray.

    Args:
        field: The field.
        values: For several components with the component first.
        grid: Where they live, if not on the grid of the field.
    """
    need("output", "xarray")
    import xarray

    names = [AXES[axis] for axis in field.space.axes]
    ends = values.shape[-len(names) :]
    box = box_of(ends[names.index(a)] if a in names else 1 for a in AXES[: field.dimensions])
    places = (grid or field.grid).coordinates(field.location, box, field.axes)
    coordinates = {name: place.ravel() for name, place in zip(names, places, strict=True)}
    dims = (["component"] if field.per_cell > 1 else []) + names
    known = {"units": field.unit, "long_name": field.description, "location": str(field.location)}
    attributes = {name: text for name, text in known.items() if text}
    return xarray.DataArray(values, coordinates, dims, field.name, attributes)


def is_of_leaf(field: Field, forest: Forest) -> NDArray[np.bool_]:
    """Return which cells of a field on a level of a forest belong to leaves of that level."""
    space = field.space
    result = np.zeros(space.shape, bool)
    for box in forest.leaves.boxes(space.level):
        result[space.subscript(space.with_closing(box), (0,) * field.dimensions)] = True
    return result
