"""What stands in brackets behind a field or an expression: offsets from the cell, a component."""

from __future__ import annotations

from typing import Any

import numpy as np

from halocline.errors import KernelError
from halocline.language.place import user_place


def parse_offset(name: str, dimensions: int, key: Any) -> tuple[int, ...]:
    """Return a subscript as an offset, or say what is wrong with it."""
    offset = key if isinstance(key, tuple) else (key,)
    if not all(isinstance(o, int | np.integer) for o in offset):
        raise KernelError(
            f"'{name}' was read at {key!r}; expected whole numbers relative to the cell.",
            place=user_place(),
        )
    if len(offset) != dimensions:
        raise KernelError(
            f"'{name}' was used with {len(offset)} offsets {offset}; expected {dimensions}, one "
            "for each axis of the grid.",
            hint=f"Write {name}[{', '.join('0' * dimensions)}] for the cell itself.",
            place=user_place(),
        )
    return tuple(int(o) for o in offset)


def parse_component(name: str, components: int, key: Any) -> int:
    """Return a subscript as a component, or say what is wrong with it."""
    if not isinstance(key, int | np.integer):
        raise KernelError(
            f"'{name}' has {components} components but was subscripted with {key!r}; expected a "
            "component first.",
            hint=f"Write {name}[component][offsets].",
            place=user_place(),
        )
    if not 0 <= key < components:
        raise KernelError(
            f"Component {key} of '{name}' was used; it has components 0 to {components - 1}.",
            place=user_place(),
        )
    return int(key)
