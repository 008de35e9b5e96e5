"""Tiles: how a thread goes through a box so that caches hold what it will read again.

A kernel reads neighbouring planes. If these, as far as a thread is going through them, fit into a
cache, each value comes from memory once (the layer condition: Rivera and Tseng 2000, Stengel et al.
2015); else once for each plane. So planes that are too large are cut into tiles.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from halocline.analysis.cost import cost
from halocline.frozen import Frozen
from halocline.geometry import VOLUME, Box

if TYPE_CHECKING:
    from collections.abc import Sequence

    from halocline.language.expressions.kernel import Kernel

# Of a cache: it holds what others read, too, and not quite the values that were read last.
_USABLE_PART = 2
# Rows are cut only where a tile would have fewer; never into shorter pieces, to which memory gives
# less: 256 cells at once of rows of 512 take half as long again as whole rows.
_FEWEST_ROWS, _FEWEST_CELLS = 8, 4096
# Tiles begin with a cache line where the box does.
_WHOLE = 64


class Tile(Frozen):
    """What a thread goes through plane by plane, or row by row of a plane: all there are of these.

    Attributes:
        cells: Along x.
        rows: Along y, in three dimensions.
    """

    cells: int
    rows: int

    def __str__(self) -> str:
        """Return '512x64'."""
        return f"{self.cells}x{self.rows}"


def tile_for(kernel: Kernel, extent: Sequence[int], kept_bytes: int) -> Tile | None:
    """Return how to go through a block; None if whole planes do as well.

    Args:
        kernel: What is computed.
        extent: Cells of the block.
        kept_bytes: What the caches keep for a thread.
    """
    limit = kept_bytes // _USABLE_PART
    if kernel.sweep is not None or kernel.dimensions == 1 or _held(kernel, extent) <= limit:
        return None
    is_volume = kernel.dimensions == VOLUME
    width, height = extent[0], extent[1] if is_volume else 1

    def most_rows(cells: int) -> int:
        return bisect_right(range(height), limit, key=lambda n: _held(kernel, (cells, n + 1)))

    pieces, cells, rows = 1, width, most_rows(width)
    while rows < min(height, _FEWEST_ROWS) and cells > _FEWEST_CELLS:
        pieces += 1
        cells = max(_FEWEST_CELLS, -(-width // pieces) + _WHOLE - 1 & -_WHOLE)
        rows = most_rows(cells)
    tile = Tile(cells, -(-height // -(-height // max(1, rows))))
    return None if (tile.cells, tile.rows) == (width, height) else tile


def bytes_in_tiles(kernel: Kernel, box: Box, tile: Tile | None, piece_bytes: int) -> int:
    """Return what a box moves to and from memory if each tile finds in caches what it reads again.

    Args:
        kernel: What is computed.
        box: Its cells.
        tile: Of the box.
        piece_bytes: Memory moves in pieces of so many bytes.
    """
    needed = cost(kernel)
    if tile is None:
        return needed.box_bytes(box, piece_bytes)
    sizes = (tile.cells, tile.rows)[: kernel.dimensions - 1]
    counts = [max(1, -(-n // size)) for n, size in zip(box.extent, sizes, strict=False)]
    extent = [-(-n // count) for n, count in zip(box.extent, counts, strict=False)]
    largest = Box((0,) * kernel.dimensions, (*extent, *box.extent[len(extent) :]))
    return needed.box_bytes(largest, piece_bytes) * box.cells // max(1, largest.cells)


def bytes_beyond(kernel: Kernel, extent: Sequence[int], tile: Tile | None, cache_bytes: int) -> int:
    """Return what a cell moves between a cache and what lies beyond it.

    Args:
        kernel: What is computed.
        extent: Cells of the block.
        tile: Of the block.
        cache_bytes: A thread's part of the cache.
    """
    needed, limit = cost(kernel), cache_bytes // _USABLE_PART
    streams = (*needed.read, *needed.written)
    sizes = () if tile is None else (tile.cells, tile.rows)[: kernel.dimensions - 1]
    if _held(kernel, (*sizes, *extent[len(sizes) :])) <= limit:
        return needed.bytes
    if sum(s.rows * s.cell_bytes for s in streams) * (sizes or extent)[0] <= limit:
        return sum(stream.planes * stream.cell_bytes for stream in streams)
    return sum(stream.rows * stream.cell_bytes for stream in streams)


def _held(kernel: Kernel, extent: Sequence[int]) -> int:
    """Return what is gone through between two uses of a plane, or of a row in two dimensions."""
    plane = (*extent[: kernel.dimensions - 1], 1)
    needed = cost(kernel)
    if not any(stream.along[-1][1] for stream in needed.read):
        return 0  # nothing is read again
    return needed.box_bytes(Box((0,) * len(plane), plane), 1)
