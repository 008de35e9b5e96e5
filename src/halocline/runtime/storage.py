"""A field's values on this rank's blocks, seen as NumPy arrays."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from halocline.errors import DeviceError
from halocline.runtime import _core

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from halocline.geometry import Box
    from halocline.language.initial import InitialValues
    from halocline.plan.decomposition import Block
    from halocline.plan.layout import FieldLayout
    from halocline.runtime.job import Job


class BlockStorage:
    """The values of one field.

    Args:
        layout: How the field is stored.
        blocks: Those of this rank, as boxes of the field's cells.
        runtime: Gets the field.
        space: The runtime's number of the field's space.
        job: The ranks.
        alignment: Of rows, unless the field says it [bytes].

    Attributes:
        slot: The field's number in the runtime.
    """

    def __init__(
        self,
        layout: FieldLayout,
        blocks: tuple[Block, ...],
        runtime: _core.Runtime,
        space: int,
        job: Job,
        alignment: int,
    ) -> None:
        self.layout = layout
        self.blocks = blocks
        self.runtime = runtime
        self.job = job
        self.slot = runtime.add_field(stored_field(layout, alignment, space))

    def local(self, *, will_write: bool = True) -> list[NDArray[Any]]:
        """Return views of the rank's own cells, one for each block.

        Args:
            will_write: Whether they may be changed; else a device keeps its values.
        """
        return [self._view(position, will_write=will_write) for position in range(len(self.blocks))]

    def on_device(self) -> list[Any]:
        """Return the rank's own cells where kernels use them, one for each block, by DLPack."""
        dimensions = len(self.layout.lower)
        with self._translated("come to"):
            return [
                self.runtime.device_view(self.slot, position, dimensions)
                for position in range(len(self.blocks))
            ]

    @property
    def bytes_stored(self) -> int:
        """What the rank's blocks take in memory, halo and padding included [bytes]."""
        return sum(self.runtime.bytes_stored(self.slot, n) for n in range(len(self.blocks)))

    def _view(self, position: int, *, will_write: bool) -> NDArray[Any]:
        """Return a block's own cells: (components, nx, ny, nz) without what the grid lacks."""
        stored, space = self._stored(position, will_write=will_write), self.layout.space
        box = self.blocks[position].box
        own = tuple(
            0 if is_lacking else slice(low, low + extent)
            for low, extent, is_lacking in zip(
                self.layout.lower, box.extent, space.lacks, strict=True
            )
        )
        rest = (0,) * (3 - len(own))
        return stored[(slice(None) if self.layout.components > 1 else 0, *own, *rest)]

    def _stored(self, position: int, *, will_write: bool) -> NDArray[Any]:
        """Return all that is stored for a block, with the newest values."""
        with self._translated("come from"):
            found = self.runtime.view(self.slot, position, will_write)
        return found.view(np.bool_) if self.layout.dtype == "bool" else found

    @contextmanager
    def _translated(self, what: str) -> Iterator[None]:
        """Say which field a failing device concerns, and what was to be done with it."""
        try:
            yield
        except _core.DeviceError as error:
            raise DeviceError(
                f"The values of field '{self.layout.name}' do not {what} the device: {error}."
            ) from None

    def clear(self, position: int, box: Box) -> None:
        """Set the halo cells of a block in a box to zero, once and for all."""
        stored = self._stored(position, will_write=True)
        halo = self.layout.stored(self.blocks[position].box)
        common = halo.intersect(box)
        if not common.is_empty:
            stored[(slice(None), *common.slices(halo.lower))] = 0

    def assign(self, values: InitialValues) -> None:
        """Give the rank's own cells new values: of these boxes, or of the whole grid."""
        space = self.layout.space
        for block, view in zip(self.blocks, self.local(), strict=True):
            cells = space.flat(block.box)
            for box, array in zip(values.boxes, values.arrays, strict=True):
                if box.contains(cells):
                    view[...] = array[(..., *space.subscript(cells, box.lower))]

    def gather(self) -> NDArray[Any] | None:
        """Return the values of all cells on rank 0, None elsewhere; collective."""
        with self.job.call(f"Field.gather of '{self.layout.name}'"):
            mine = [
                (block.box, np.ascontiguousarray(view))
                for block, view in zip(self.blocks, self.local(will_write=False), strict=True)
            ]
            found = self.job.gather(mine)
        if found is None:
            return None
        many = self.layout.components > 1
        space = self.layout.space
        extent = ((self.layout.components,) if many else ()) + space.shape
        # Dropped blocks have no values.
        result = np.zeros(extent, self.layout.dtype)
        for box, values in (pair for pairs in found for pair in pairs):
            cut = space.subscript(box, (0,) * len(box.lower))
            result[(slice(None), *cut) if many else cut] = values
        return result


def stored_field(layout: FieldLayout, alignment: int, space: int = 0) -> _core.Field:
    """Return a field as the runtime stores it, aligned so unless it says otherwise [bytes]."""
    return _core.Field(
        layout.name,
        "uint8" if layout.dtype == "bool" else layout.dtype,
        layout.components,
        three(layout.lower, 0),
        three(layout.upper, 0),
        is_interleaved=layout.spec.layout == "aos",
        alignment=layout.spec.alignment or alignment,
        space=space,
    )


def three(values: tuple[int, ...], missing: int) -> tuple[int, int, int]:
    """Return three numbers, the grid's own and 'missing' for the axes that it lacks."""
    x, y, z = (*values, *(missing,) * (3 - len(values)))
    return x, y, z
