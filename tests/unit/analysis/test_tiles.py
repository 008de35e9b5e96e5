"""Tiles keep what is read again in the caches, and cut no more than that takes."""

import pytest
import stencils
from hypothesis import given
from hypothesis import strategies as st

import halocline as hc
from halocline.analysis.cost import cost
from halocline.analysis.tiles import Tile, bytes_beyond, bytes_in_tiles, tile_for
from halocline.geometry import Box
from halocline.plan.pipeline import plan_for

LINE = 64


def kernel_of(problem, name):
    plan = plan_for(problem.grid, problem.steps)
    return next(one.code for one in plan.launches if one.kernel.name == name)


def star(radius, dimensions, dtype="float64"):
    """Return a kernel that reads so far along each axis, and the number it reads last."""
    grid = hc.Grid((4 * radius,) * dimensions, periodic=True)
    u, v = grid.field("u", dtype=dtype), grid.field("v", dtype=dtype)
    here = (0,) * dimensions

    @hc.kernel
    def wave(u, v):
        total = u[here]
        for axis in range(dimensions):
            for k in range(1, radius + 1):
                way = (*here[:axis], k, *here[axis + 1 :])
                total = total + u[way] + u[tuple(-o for o in way)]
        v[here] = total

    return kernel_of(stencils.Problem(grid, [wave(u, v), hc.swap(u, v)]), "wave")


def plane(cells, rows):
    return Box((0, 0, 0), (cells, rows, 1))


@given(
    st.integers(1, 4),
    st.sampled_from(["float32", "float64"]),
    st.integers(16, 700),
    st.integers(1, 700),
    st.integers(1 << 18, 1 << 25),
)
def test_planes_of_a_tile_fit_into_half_of_what_the_caches_keep(
    radius, dtype, width, height, kept_bytes
):
    kernel = star(radius, 3, dtype)
    tile = tile_for(kernel, (width, height, 100), kept_bytes)
    held = cost(kernel).box_bytes(plane(*((tile.cells, tile.rows) if tile else (width, height))), 1)
    assert held <= kept_bytes // 2 or (tile and tile.rows == 1)
    if tile:
        assert (tile.cells, tile.cells * tile.rows) != (width, width * height)
        # All nearly alike, and one fewer would not do.
        count = -(-height // tile.rows)
        assert count * tile.rows < height + count
        larger = -(-height // (count - 1)) if count > 1 else 0
        assert not larger or cost(kernel).box_bytes(plane(tile.cells, larger), 1) > kept_bytes // 2


def test_whole_planes_do_where_they_fit_or_nothing_is_read_again():
    assert tile_for(star(1, 3), (128, 128, 128), 2 << 20) is None
    assert tile_for(star(1, 1), (1 << 24,), 1 << 20) is None
    lattice = kernel_of(stencils.cavity((8, 8, 8), True), "collide_stream")
    assert tile_for(lattice, (512, 512, 512), 1 << 20) is None


def test_rows_stay_whole_but_where_a_few_of_them_outgrow_the_caches():
    wave = star(4, 3, "float32")
    assert tile_for(wave, (512, 512, 512), 10 << 20) == Tile(512, 171)
    long = tile_for(wave, (1 << 20, 64, 64), 10 << 20)
    assert long.rows >= 8
    assert 4096 <= long.cells < 1 << 20
    assert long.cells % LINE == 0
    shortest = tile_for(wave, (1 << 20, 64, 64), 1 << 10)
    assert shortest == Tile(4096, 1)
    assert tile_for(star(4, 2), (1 << 20, 1 << 10), 10 << 20).cells < 1 << 17


@pytest.mark.parametrize("tile", [None, Tile(512, 128), Tile(256, 64), Tile(512, 100)])
def test_a_tile_moves_again_what_it_reads_around_it(tile):
    wave, box = star(4, 3, "float32"), Box((0, 0, 0), (512, 512, 512))
    moved = bytes_in_tiles(wave, box, tile, LINE)
    if tile is None:
        assert moved == cost(wave).box_bytes(box, LINE)
        return
    around = 1 + 8 * -(-512 // tile.rows) / 512, 520 / 512, (tile.cells + 16) / tile.cells
    expected = 4 * 512**3 * (1 + around[0] * around[1] * around[2])
    assert moved == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize(
    ("kept_rows", "values"),
    [
        (9 * (64 + 8) + 64, 1 + 1),  # nine planes of a tile: each value once
        (2 * 18, 9 + 1),  # a row of each line of the star: nine planes
        (8, 17 + 1),  # nothing but the row itself
    ],
)
def test_what_a_cache_keeps_does_not_come_from_beyond_it(kept_rows, values):
    """Of a star of radius 4, which reads 17 rows in nine planes and writes one."""
    kernel, extent, row_bytes = star(4, 3), (1024, 256, 256), 8 * (1024 + 8)
    moved = bytes_beyond(kernel, extent, Tile(1024, 64), 2 * kept_rows * row_bytes)
    assert moved == 8 * values


def test_in_two_dimensions_rows_are_kept_or_not():
    kernel = star(2, 2, "float32")
    assert bytes_beyond(kernel, (1000, 1000), None, 1 << 20) == 4 * 2
    assert bytes_beyond(kernel, (1000, 1000), None, 1 << 10) == 4 * (5 + 1)
