"""Complex fields: two real components for each complex one, seen as complex by users alone.

Storage, kernels, messages, devices and files know real components; so their bits are those of the
two fields that a user could write by hand.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import wraps
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from halocline.errors import GridError
from halocline.language.digest import digest_values
from halocline.language.expressions.complex_values import (
    Complex,
    ComplexArithmetic,
    is_complex,
    refusal,
)
from halocline.language.expressions.component import access
from halocline.language.expressions.subscripts import parse_component
from halocline.language.grids.arrays import is_slicing
from halocline.language.grids.fields import Field
from halocline.language.grids.labelled import is_labelled
from halocline.language.place import user_place

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from halocline.language.grids.grid import Grid

# The types of real and imaginary parts.
_PARTS: Mapping[str, str] = MappingProxyType({"complex128": "float64", "complex64": "float32"})
_NUMBERS = "biufc"


def is_complex_type(dtype: Any) -> bool:
    """Return whether a type, by its name or NumPy's, is one of complex numbers."""
    try:
        return np.dtype(dtype).name in _PARTS
    except TypeError:
        return False


class ComplexField(ComplexArithmetic, Field):
    """Complex values on a grid, made by 'Grid.field' with the dtype 'complex128' or 'complex64'.

    Kernels, 'set', 'gather', slices, 'to_xarray' and conditions on sides take and give complex
    numbers. All else has two real components for each: its real and its imaginary part, of the type
    'dtype'. So have 'local' and 'on_device', files and checkpoints.
    """

    def __init__(
        self, grid: Grid, name: str, *, dtype: Any, components: int = 1, **options: Any
    ) -> None:
        self.complex_dtype = np.dtype(dtype).name
        parts = _PARTS[self.complex_dtype]
        super().__init__(grid, name, dtype=parts, components=2 * components, **options)

    def __repr__(self) -> str:
        """Return a short description."""
        return f"Field({self.name!r}, {self.complex_dtype}, components={self.per_cell})"

    @property
    def per_cell(self) -> int:
        """How many complex numbers a cell has."""
        return self.components // 2

    @property
    def real(self) -> Any:
        """The real part in each cell, for reductions."""
        return self._component(...).real

    @property
    def imag(self) -> Any:
        """The imaginary part in each cell, for reductions."""
        return self._component(...).imag

    def expression(self) -> Any:
        """Refuse to be a real value."""
        raise refusal(f"The field '{self.name}' stands as")

    def __getitem__(self, key: Any) -> Any:
        """Return a component, or the value at an offset, or values of the grid; see 'Field'."""
        if is_slicing(key):
            parts, component = self._key_of_parts(key)
            return self._complex(super().__getitem__(parts))[component]
        return self._component(key) if self.per_cell > 1 else self._component(...)[key]

    def gather(self, key: Any = ...) -> NDArray[Any] | Any:
        """Return the values of all cells on rank 0; None on other ranks; see 'Field.gather'."""
        parts, component = self._key_of_parts(key)
        found = super().gather(parts)
        return None if found is None else self._complex(found)[component]

    def joined(self, components: NDArray[Any]) -> NDArray[Any]:
        """Return real and imaginary parts, which take turns, as complex numbers."""
        found = self._complex(components)
        return found if self.per_cell > 1 else found[0]

    def set(self, values: Any) -> None:
        """Give every cell a value; see 'Field.set'."""
        if not callable(values) and np.ndim(values) == 0:
            # It becomes a function, and what functions return ranks do not compare.
            self.digest = digest_values(self.digest, values)
        super().set(self._parts_of(values))

    def parts_on_side(self, value: Any) -> tuple[Any, Any]:
        """Return the parts of what a side prescribes: a number, an array, a field or a function."""
        if isinstance(value, ComplexField):
            return value, value
        is_array = isinstance(value, np.ndarray) and value.dtype.kind == "c"
        return (value.real, value.imag) if is_array or is_complex(value) else (value, 0.0)

    def _component(self, key: Any) -> Complex:
        """Return a component in each cell; '...' for the only one."""
        if key is ...:
            key = 0 if self.per_cell == 1 else "no component"
        q = parse_component(self.name, self.per_cell, key) if self.per_cell > 1 else 0
        parts = (access(self.name, self.components, self.space, n) for n in (2 * q, 2 * q + 1))
        return Complex(*parts)

    def _key_of_parts(self, key: Any) -> tuple[tuple[Any, ...], Any]:
        """Return the subscript of both parts of all components, and which of these are wanted."""
        entries = key if isinstance(key, tuple) else (key,)
        if self.per_cell == 1:
            return (slice(None), *entries), 0
        if entries[0] is ...:
            return (slice(None), *entries), slice(None)
        return (slice(None), *entries[1:]), entries[0]

    def _complex(self, parts: Any) -> NDArray[Any]:
        """Return all components, the first axis, of real and imaginary parts that take turns."""
        found = np.empty((self.per_cell, *parts.shape[1:]), self.complex_dtype)
        found.real, found.imag = parts[0::2], parts[1::2]
        return found

    def _parts_of(self, values: Any) -> Any:
        """Return what real and imaginary parts are to be set to."""
        if callable(values):
            return self._parts_of_function(values)
        if is_labelled(values):
            return self._parts_of_labelled(values)
        array = np.asanyarray(values)
        if array.dtype.kind not in _NUMBERS:
            return values
        if array.ndim == 0:
            number = array[()]
            return self._parts_of_function(lambda *_: [number] * self.per_cell)
        stack = np.ma.stack if isinstance(array, np.ma.MaskedArray) else np.stack
        if self.per_cell == 1:
            return stack([array.real, array.imag])
        return stack([array.real, array.imag], axis=1).reshape(-1, *array.shape[1:])

    def _parts_of_function(self, function: Callable[..., Any]) -> Callable[..., list[Any]]:
        """Return a function that returns real and imaginary parts, which take turns."""

        @wraps(function)
        def parts(*place: Any) -> list[Any]:
            found = function(*place)
            is_whole = isinstance(found, list | tuple) or self.per_cell > 1
            values = found if is_whole else [found]
            return [part for value in values for part in (np.real(value), np.imag(value))]

        return parts

    def _parts_of_labelled(self, values: Any) -> Any:
        import xarray

        if self.per_cell > 1:
            raise GridError(
                f"Field '{self.name}' of {self.per_cell} complex components was given an array "
                "that names its dimensions; expected one without names, the component first.",
                hint="Write array.transpose('component', …).to_numpy().",
                place=user_place(),
            )
        return xarray.concat([values.real, values.imag], "component")
