"""A time of a forest as VTK's overlapping AMR: image data for boxes of each level, and their list.

Each level has its leaves and, under finer levels, the means of their cells, which are marked as
refined: so it can be looked at by itself, and nothing is shown or counted twice.

The format: 'vtkOverlappingAMR' as VTK's own writer 'vtkXMLUniformGridAMRWriter' has it, version
1.1: for each level its spacing, for each box its first and last cell along each axis.
"""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from halocline.box_array import join
from halocline.errors import CaseError
from halocline.io.output import replace_text
from halocline.io.vtk_image import ArrayOfCells, ImageFile, place_of, widths_of
from halocline.language.grids.resampled import check_in_cells, gather_leaves, with_refined

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from halocline.geometry import Box
    from halocline.io.output import Attempt
    from halocline.io.quantity import Quantity
    from halocline.language.grids.forest import Forest
    from halocline.language.grids.resampled import Blocks

ENDING = ".vthb"
# By the number of axes.
_DESCRIPTIONS = {2: "XY", 3: "XYZ"}
# How VTK says that a cell counts on a finer level (vtkDataSetAttributes::REFINEDCELL).
_GHOSTS = ArrayOfCells("vtkGhostType", np.dtype("uint8"), 1)
_REFINED = 8


class Levels:
    """What writes the times of a forest.

    Args:
        forest: The forest.
        groups: Quantities: scalars one by one, components of a vector together.
        arrays: What files say of them.

    Raises:
        CaseError: VTK has no levels for so few axes, or a quantity is not one of the forest.
        GridError: A quantity does not live in the middle of cells.
    """

    ending = ENDING

    def __init__(
        self, forest: Forest, groups: Sequence[Sequence[Quantity]], arrays: Sequence[ArrayOfCells]
    ) -> None:
        if forest.dimensions not in _DESCRIPTIONS:
            raise CaseError(
                "VTK files of a forest with one axis were asked for; expected two axes or three.",
                hint="Leave out --vtk; series.zarr has all levels.",
            )
        for group in groups:
            for quantity in group:
                check_in_cells(quantity.of_forest)
        self._forest = forest
        self._groups = groups
        self._arrays = arrays

    def write(self, path: Path, time: float, attempt: Attempt) -> None:
        """Write a time: boxes into a folder of the same name, then their list; collective."""
        folder, leaves = path.with_suffix(""), self._forest.leaves
        boxes = [
            (level, box)
            for level in range(leaves.finest + 1)
            for box in join(leaves.cells_at(leaves.blocks(level)).every())
        ]
        names = [f"level_{level}_{n:06d}.vti" for n, (level, _) in enumerate(boxes)]
        files = [
            ImageFile(folder / name, self._forest.level(level), box)
            for name, (level, box) in zip(names, boxes, strict=True)
        ]
        attempt.do(partial(folder.mkdir, exist_ok=True))
        for file, (level, box) in zip(files, boxes, strict=True):
            attempt.do(partial(file.begin, (_GHOSTS, *self._arrays), time))
            attempt.do(partial(self._append_ghosts, file, level, box))
        for group in self._groups:
            parts = [self._gathered(quantity, attempt) for quantity in group]
            for file, (level, box) in zip(files, boxes, strict=True):
                attempt.do(partial(self._append, file, parts, level, box))
        for file in files:
            attempt.do(file.end)
        attempt.do(partial(replace_text, path, self._list(folder.name, names, boxes)))

    def _gathered(self, quantity: Quantity, attempt: Attempt) -> list[Blocks]:
        """Return the values of all blocks, as shown, on rank 0."""
        found = gather_leaves(self._forest.leaves, quantity.gather_boxes)
        result: list[Blocks] = []
        attempt.do(lambda: result.extend(with_refined(found or ())))
        return result

    def _append(
        self, file: ImageFile, parts: Sequence[Sequence[Blocks]], level: int, box: Box
    ) -> None:
        file.append([self._in_box(part[level], box) for part in parts])

    def _append_ghosts(self, file: ImageFile, level: int, box: Box) -> None:
        block, leaves = self._forest.leaves.block, self._forest.leaves
        places = leaves.blocks(level)
        are_refined = leaves.are_refined(level, places)
        marks = {
            position: np.full(block, _REFINED * is_refined, np.uint8)
            for position, is_refined in zip(map(tuple, places.tolist()), are_refined, strict=True)
        }
        file.append([self._in_box(marks, box)])

    def _in_box(self, blocks: Blocks, box: Box) -> NDArray[Any]:
        """Return the values of a box of whole blocks."""
        leaves = self._forest.leaves
        result = np.empty(box.extent, next(iter(blocks.values())).dtype)
        ends = zip(box.lower, box.upper, leaves.block, strict=True)
        for position in product(*(range(l // b, u // b) for l, u, b in ends)):
            result[leaves.box(position).slices(box.lower)] = blocks[position]
        return result

    def _list(self, folder: str, names: Sequence[str], boxes: Sequence[tuple[int, Box]]) -> str:
        """Return the list of the boxes of all levels."""
        forest, kind = self._forest, "vtkOverlappingAMR"
        described = _DESCRIPTIONS[forest.dimensions]
        origin = place_of(forest.grid, (0,) * forest.dimensions)
        lines = [
            f'<VTKFile type="{kind}" version="1.1" byte_order="LittleEndian">',
            f'<{kind} origin="{origin}" grid_description="{described}">',
        ]
        for level in range(forest.leaves.finest + 1):
            lines.append(f'<Block level="{level}" spacing="{widths_of(forest.level(level))}">')
            of_level = [(n, box) for n, (l, box) in zip(names, boxes, strict=True) if l == level]
            lines += [
                f'<DataSet index="{n}" amr_box="{_cells(box)}" file="{folder}/{name}"/>'
                for n, (name, box) in enumerate(of_level)
            ]
            lines.append("</Block>")
        return "\n".join([*lines, f"</{kind}>", "</VTKFile>"])


def _cells(box: Box) -> str:
    """Return the first and the last cell along each axis, none along an axis that is not there."""
    ends = [f"{l} {u - 1}" for l, u in zip(box.lower, box.upper, strict=True)]
    return " ".join((*ends, "0 -1")[:3])
