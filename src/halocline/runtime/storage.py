"""A field's values on this rank's blocks, seen as NumPy arrays."""

from __future__ import annotations

from contextlib import contextmanager
from functools import cache, cached_property, partial
from itertools import chain
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from halocline.errors import DeviceError, MpiError
from halocline.geometry import VOLUME
from halocline.plan.blocks.redistribution import boxes_of_ranks, redistribution
from halocline.runtime import _core
from halocline.runtime.redistribution import move, redistribute

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from halocline.geometry import Box
    from halocline.language.grids.fields import Field
    from halocline.language.grids.initial import InitialValues
    from halocline.language.spaces.role import Role
    from halocline.plan.blocks.decomposition import BlockView
    from halocline.plan.blocks.redistribution import BoxesOfRanks, Redistribution
    from halocline.plan.cells.block import Block
    from halocline.plan.schedule.layout import FieldLayout
    from halocline.runtime.job import Job
    from halocline.runtime.redistribution import Values


class BlockStorage:
    """The values of one field.

    Args:
        layout: How the field is stored.
        every: All blocks, as boxes of the field's cells.
        runtime: Gets the field.
        space: The runtime's number of the field's space.
        job: The ranks.
        alignment: Of rows, unless the field says it [bytes].

    Attributes:
        blocks: Those of this rank that have cells of the field, in a forest its leaves.
        blocks_of_all: All blocks, as boxes of the field's cells.
        slot: The field's number in the runtime.
    """

    def __init__(
        self,
        layout: FieldLayout,
        every: BlockView,
        runtime: _core.Runtime,
        space: int,
        job: Job,
        alignment: int,
    ) -> None:
        self.layout = layout
        self.blocks_of_all = every
        self._every = every.blocks_of(job.rank)
        self.blocks = every.seen_of(job.rank)
        seen = {block.number for block in self.blocks}
        self._numbers = [n for n, one in enumerate(self._every) if one.number in seen]
        self.runtime = runtime
        self.job = job
        self.slot = runtime.add_field(stored_field(layout, self._every, alignment, space))

    def local(self, *, will_write: bool = True) -> list[NDArray[Any]]:
        """Return views of the rank's own cells, one for each block.

        Args:
            will_write: Whether they may be changed; else a device keeps its values.
        """
        return [self._view(number, will_write=will_write) for number in self._numbers]

    def on_device(self) -> list[Any]:
        """Return the rank's own cells where kernels use them, one for each block, by DLPack."""
        dimensions = len(self.layout.lower)
        with self._translated("come to"):
            return [
                self.runtime.device_view(self.slot, number, dimensions) for number in self._numbers
            ]

    @property
    def bytes_stored(self) -> int:
        """What the rank's blocks take in memory, halo and padding included [bytes]."""
        return sum(self.runtime.bytes_stored(self.slot, n) for n in range(len(self._every)))

    def _view(self, number: int, *, will_write: bool) -> NDArray[Any]:
        """Return a block's own cells: (components, nx, ny, nz) without what the grid lacks."""
        space = self.layout.space
        box = space.flat(self._every[number].box)
        own = self._values(number, box, will_write=will_write)
        lacking = tuple(0 if is_lacking else slice(None) for is_lacking in space.lacks)
        return own[(slice(None) if self.layout.components > 1 else 0, *lacking)]

    def _values(self, number: int, box: Box, *, will_write: bool) -> NDArray[Any]:
        """Return a box of a block's cells: components and all axes of the grid."""
        stored = self._stored(number, will_write=will_write)
        lower = self._stored_boxes[number].lower
        return stored[(slice(None), *box.slices(lower), *(0,) * (3 - len(lower)))]

    def seen(self, number: int, box: Box) -> NDArray[Any] | None:
        """Return component 0 in a box of what a block stores, None where it does not store it.

        Args:
            number: Of the block on this rank.
            box: The cells, own ones or of the halo.
        """
        if not self._stored_boxes[number].contains(box):
            return None
        found: NDArray[Any] = self._values(number, box, will_write=False)[0]
        return found

    @cached_property
    def _stored_boxes(self) -> list[Box]:
        """The cells stored for each block of this rank."""
        numbers = np.array(self.blocks_of_all.decomposition.numbers_of(self.job.rank), np.intp)
        return self.layout.all_stored(self.blocks_of_all, numbers).every()

    def _stored(self, number: int, *, will_write: bool) -> NDArray[Any]:
        """Return all that is stored for a block, by its number on the rank, with newest values."""
        with self._translated("come from"):
            array = self.runtime.view(self.slot, number, will_write)
        return array.view(np.bool_) if self.layout.dtype == "bool" else array

    @contextmanager
    def _translated(self, what: str) -> Iterator[None]:
        """Say which field a failing device concerns, and what was to be done with it."""
        try:
            yield
        except _core.DeviceError as error:
            raise DeviceError(
                f"The values of field '{self.layout.name}' do not {what} the device: {error}."
            ) from None

    def clear(self, number: int, box: Box) -> None:
        """Set the halo cells of a block in a box to zero, once and for all."""
        common = self._stored_boxes[number].intersect(box)
        if not common.is_empty:
            self._values(number, common, will_write=True)[...] = 0

    def assign(self, values: InitialValues) -> None:
        """Give the rank's own cells new values: of these boxes, or of the whole grid."""
        space = self.layout.space
        for block, view in zip(self.blocks, self.local(), strict=True):
            cells = space.flat(block.box)
            for box, array in zip(values.boxes, values.arrays, strict=True):
                if box.contains(cells):
                    view[...] = array[(..., *space.subscript(cells, box.lower))]

    def assign_beside(self, values: Callable[[Box], Any]) -> None:
        """Give cells along the borders of a forest's levels values, called with boxes of them.

        Steps give them new ones in fields that they assign; in others these stay.
        """
        numbers = np.array(self.blocks_of_all.decomposition.numbers_of(self.job.rank), np.intp)
        blocks = self.blocks_of_all.table(numbers)
        is_leaf = self.blocks_of_all.decomposition.levels.have(lambda role: role.is_leaf, numbers)
        is_stored = self.layout.all_stored(self.blocks_of_all, numbers).has_cells
        for number in np.flatnonzero(is_stored & ~is_leaf & ~blocks.is_guest).tolist():
            box = self.layout.space.flat(self._every[number].box)
            self._view(number, will_write=True)[...] = values(box)

    def take_over(self, other: BlockStorage) -> None:
        """Take over the values of the same field on other blocks; collective.

        One component after the other, so that little is on the way at a time. Cells that no rank
        had, in blocks that were dropped, keep the zeros that they begin with.
        """
        have, wanted = other.kept, self.kept
        plan = redistribution(have, wanted, self.job.rank)
        for component in range(self.layout.components):
            found = other.parts(have, component, will_write=False)
            places = self.parts(wanted, component, will_write=True)
            redistribute(plan, found, places, self.layout.dtype, self.job)

    def fill(self, values: InitialValues, boxes: BoxesOfRanks) -> None:
        """Give the own cells of all ranks values that they have in other boxes; collective.

        Args:
            values: Those that this rank has.
            boxes: Those of all ranks.

        Raises:
            MpiError: No rank has the values of some cells.
        """
        plan = redistribution(boxes, self.own, self.job.rank)
        if not plan.covers(self.own[self.job.rank]):
            raise MpiError(
                "A field was set before its simulation was made, which has fewer ranks than the "
                "launcher has started.",
                hint="Set fields after the simulation is made.",
            )
        lead = (self.layout.components,) if self.layout.components > 1 else ()
        pairs = zip(values.boxes, values.arrays, strict=True)
        found = [(box, array.reshape((*lead, *box.extent))) for box, array in pairs]
        places = self.parts(self.own, slice(None) if lead else 0, will_write=True)
        redistribute(plan, found, places, self.layout.dtype, self.job)

    def gather(self, box: Box | None = None, *, everywhere: bool = False) -> NDArray[Any] | None:
        """Return the values of all cells, or of those in a box, on rank 0 or on all; collective."""
        components, space = self.layout.components, self.layout.space
        box = self._all_cells if box is None else space.flat(box)
        with self.job.call(f"Field.gather of '{self.layout.name}'"):
            plan, result = self._own_to_first, None
            if everywhere or box != self._all_cells:
                ranks = self.job.size if everywhere else 1
                boxes = [] if box.is_empty else [box]
                wanted = [boxes if rank < ranks else [] for rank in range(self.job.size)]
                plan = redistribution(self.own, wanted, self.job.rank)
            if everywhere or self.job.rank == 0:
                result = np.zeros((components, *box.extent), self.layout.dtype)
            for component in range(components):
                has_room = result is not None and not box.is_empty
                places = [(box, result[component])] if has_room and result is not None else []
                self._bring(plan, self.own, component, places)
        if result is None:
            return None
        lacking = tuple(0 if is_lacking else slice(None) for is_lacking in space.lacks)
        values: NDArray[Any] = result[(slice(None) if components > 1 else 0, *lacking)]
        return values

    def gather_component(self, component: int) -> NDArray[Any] | None:
        """Return one component of all cells on rank 0, None elsewhere; collective."""
        result = self._room()
        with self.job.call(f"gather_component of '{self.layout.name}'"):
            places = (
                []
                if result is None
                else [(self._all_cells, result.reshape(self._all_cells.extent))]
            )
            self._bring(self._own_to_first, self.own, component, places)
        return result

    def gather_boxes(self, boxes: Sequence[Box], component: int) -> list[NDArray[Any]] | None:
        """Return one component in some boxes on rank 0, None elsewhere; collective."""
        with self.job.call(f"gather_boxes of '{self.layout.name}'"):
            plan = redistribution(self.own, self._on_first(boxes), self.job.rank)
            wanted = [] if self.job.rank else boxes
            places = [(box, np.zeros(box.extent, self.layout.dtype)) for box in wanted]
            self._bring(plan, self.own, component, places)
        return None if self.job.rank else [values for _, values in places]

    def kept_parts(self, component: int) -> list[Values]:
        """Return this rank's 'kept' cells; each box on the first rank that has it, once.

        Args:
            component: Which of the components.
        """
        earlier = set(chain.from_iterable(self.kept[: self.job.rank]))
        parts = self.parts(self.kept, component, will_write=False)
        return list({box: values for box, values in parts if box not in earlier}.items())

    def restore_kept(
        self, boxes: BoxesOfRanks, values: Callable[[int], Sequence[NDArray[Any]]]
    ) -> None:
        """Give 'kept' cells the values that ranks have in some boxes, others zeros; collective.

        Args:
            boxes: The boxes of each rank.
            values: Called with a component it returns an array for each box of this rank; if it
                fails on a rank, all ranks raise.
        """
        plan = redistribution(boxes, self.kept, self.job.rank)
        restore = partial(self._restore_component, plan, boxes[self.job.rank])
        components = range(self.layout.components)
        if all(set(wanted) <= set(have) for have, wanted in zip(boxes, self.kept, strict=True)):
            # No rank waits for a message, so ranks need not meet before each component.
            self.job.on_each(lambda: [restore(c, values(c)) for c in components])
        else:
            for component in components:
                restore(component, self.job.on_each(partial(values, component)))

    def _restore_component(
        self,
        plan: Redistribution,
        boxes: Sequence[Box],
        component: int,
        values: Sequence[NDArray[Any]],
    ) -> None:
        """Give a component of 'kept' cells the values of this rank's boxes and of other ranks."""
        with self.job.call(f"restore_kept of '{self.layout.name}'"):
            places = self.parts(self.kept, component, will_write=True)
            is_filled = plan.fills(self.kept[self.job.rank])
            for (_, place), is_whole in zip(places, is_filled, strict=True):
                if not is_whole:
                    place[...] = 0
            found = list(zip(boxes, values, strict=True))
            move(plan, found, places, self.layout.dtype, self.job)

    def _bring(
        self, plan: Redistribution, have: BoxesOfRanks, component: int, places: Sequence[Values]
    ) -> None:
        """Bring what ranks have of one component to who wants it, as planned."""
        found = self.parts(have, component, will_write=False)
        redistribute(plan, found, places, self.layout.dtype, self.job)

    @property
    def _all_cells(self) -> Box:
        return self.layout.space.flat(self.layout.space.domain)

    @cached_property
    def _own_to_first(self) -> Redistribution:
        return redistribution(self.own, self._on_first([self._all_cells]), self.job.rank)

    @cached_property
    def own(self) -> BoxesOfRanks:
        """The own cells of all ranks."""
        view = self.blocks_of_all
        return boxes_of_ranks(view, lambda n: self.layout.space.all_flat(view.table(n).box))

    @cached_property
    def kept(self) -> BoxesOfRanks:
        """The cells of all ranks that keep their values from one run to the next."""
        return boxes_of_ranks(self.blocks_of_all, partial(self.layout.all_kept, self.blocks_of_all))

    def parts(
        self, boxes: BoxesOfRanks, component: int | slice, *, will_write: bool
    ) -> list[Values]:
        """Return this rank's boxes, one a block, with views of a component or several."""
        return [
            (box, self._values(number, box, will_write=will_write)[component])
            for number, box in zip(self._numbers, boxes[self.job.rank], strict=True)
        ]

    def _on_first(self, boxes: Sequence[Box]) -> BoxesOfRanks:
        """Return boxes as what rank 0 has or wants."""
        return [list(boxes), *([] for _ in range(1, self.job.size))]

    def _room(self) -> NDArray[Any] | None:
        """Return an array of all cells on rank 0; dropped blocks have no values but zeros."""
        shape = self.layout.space.shape
        return None if self.job.rank else np.zeros(shape, self.layout.dtype)


def stored_field(
    layout: FieldLayout, blocks: Sequence[Block], alignment: int, space: int = 0
) -> _core.Field:
    """Return a field as the runtime stores it.

    Args:
        layout: How.
        blocks: Those of the rank.
        alignment: Of rows, unless the field says otherwise [bytes].
        space: The runtime's number of the field's space.
    """

    @cache
    def frame(role: Role) -> tuple[Any, Any, int] | None:
        if not layout.is_stored_on(role):
            return None
        lower, upper = layout.halo(role)
        # Along a border rows have few cells, which would lie far from each other.
        rows = alignment if role.is_leaf else layout.bytes_per_value
        return three(lower, 0), three(upper, 0), layout.spec.alignment or rows

    is_in_forest = any(block.role.is_in_forest for block in blocks)
    return _core.Field(
        layout.name,
        "uint8" if layout.dtype == "bool" else layout.dtype,
        layout.components,
        three(layout.lower, 0),
        three(layout.upper, 0),
        is_interleaved=layout.spec.layout == "aos",
        alignment=layout.spec.alignment or alignment,
        space=space,
        frames=[frame(block.role) for block in blocks] if is_in_forest else [],
    )


def storage_of(field: Field) -> BlockStorage:
    """Return where a field's values are.

    Raises:
        GridError: No simulation has stored it yet.
    """
    return cast("BlockStorage", field.stored())  # simulations alone give fields a storage


def three(values: tuple[int, ...], missing: int) -> tuple[int, int, int]:
    """Return three numbers, the grid's own and 'missing' for the axes that it lacks."""
    if len(values) == VOLUME:
        return cast("tuple[int, int, int]", values)
    x, y, z = (*values, *(missing,) * (3 - len(values)))
    return x, y, z
