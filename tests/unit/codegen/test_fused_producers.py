"""Producers run in every target just before the cells that read them, whatever the boxes."""

from __future__ import annotations

import ctypes
import random

import pytest
import stencils
from agreement import assert_same, flat
from driver import HALO, ORIGIN, call_kernel, launch_kernel, make_block
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

import halocline as hc
from halocline.codegen.cpp import print_source
from halocline.codegen.cuda import print_cuda
from halocline.codegen.emulation import emulated
from halocline.codegen.numpy_target import callback, evaluate
from halocline.geometry import Box
from halocline.jit.build import build
from halocline.lbm import Setup, Velocity, Wall, make_flow, trt
from halocline.plan.passes.inlined_boundaries import free_of_inlined
from halocline.plan.pipeline import plan_for


def _flow(extent, lattice, streaming, sides, dtype="float64"):
    return make_flow(
        Setup(extent, lattice, 1.2, trt(), sides, None, streaming=streaming, dtype=dtype)
    )


def _wide(extent):
    """Return a stencil of which several cells of a row read the same cell beyond its end."""
    grid = hc.Grid(extent)
    u, u_new = grid.field("u"), grid.field("u_new")
    u.boundary(grid.sides, hc.Dirichlet(1.0))
    axes = range(len(extent))
    ways = [tuple(k * (a == b) for b in axes) for a in axes for k in (-3, -1, 2)]

    @hc.kernel
    def wide(u, u_new):
        total = u[(0,) * len(extent)]
        for n, way in enumerate(ways):
            total = total + (n + 1) * u[way]
        u_new[(0,) * len(extent)] = total / 8

    return stencils.Problem(grid, [wide(u, u_new), hc.swap(u, u_new)])


def _problems():
    closed = {a + s: Wall((0.1, 0.0, 0.0) if a + s == "y+" else ()) for a in "xyz" for s in "-+"}
    along = {side: closed[side] for side in ("y-", "y+", "z-", "z+")}
    channel = {"x-": Velocity((0.05, 0.0)), "x+": Wall(), "y-": Wall(), "y+": Wall()}
    return [
        _wide((37, 9)),
        _wide((35, 5, 4)),
        stencils.heat((40, 3), periodic=False),
        stencils.heat((20,), periodic=False, dtype="float32"),
        _flow((37, 5, 4), "D3Q19", "two-grids", closed),
        _flow((37, 5, 4), "D3Q19", "in-place", closed, "float32"),
        _flow((19, 4, 5), "D3Q19", "in-place", along),
        _flow((12, 9), "D2Q9", "two-grids", channel),
        _flow((12, 9), "D2Q9", "in-place", channel, "float16"),
    ]


def _found():
    """Return kernels with producers, where these run, the extent, and whether rows close."""
    for problem in _problems():
        plan = plan_for(problem.grid, problem.steps, check_every=0)
        (block,) = plan.blocks
        for launch, layers in zip(plan.launches, plan.layers, strict=True):
            if launch.kernel.inlined:
                yield launch.kernel, layers[block.number], plan.decomposition.extent, block.wrap


# A kernel that runs with storages exchanged is the same.
CASES = list({(case[0], case[2]): case for case in _found()}.values())
KERNELS = [kernel for kernel, *_ in CASES]


def _scalars(kernel):
    return {name: 0.5 + n / 8 for n, name in enumerate(kernel.scalars)}


def _three(box):
    missing = 3 - len(box.lower)
    return (*box.lower, *(0,) * missing), (*box.upper, *(1,) * missing)


def _pieces(extent, seed):
    """Return boxes that tile a block, in random order."""
    chance = random.Random(seed)
    boxes = [Box((0,) * len(extent), extent)]
    for _ in range(chance.randint(0, 4)):
        box = boxes.pop(chance.randrange(len(boxes)))
        axis = chance.randrange(len(extent))
        cut = chance.randint(box.lower[axis], box.upper[axis])
        boxes += [
            box.clip(axis, box.lower[axis], cut),
            box.clip(axis, cut, box.upper[axis]),
        ]
    chance.shuffle(boxes)
    return [_three(box) for box in boxes if not box.is_empty]


def _meaning(case, seed):
    """Return a block and its fields after all producers have run in turn, and then the kernel."""
    kernel, layers, extent, wrap = case
    block = make_block(kernel, (*extent, 1, 1)[:3], seed)
    if wrap:
        # Rows that close have one meaning in one piece, stated by the interpreter.
        other = make_block(kernel, (*extent, 1, 1)[:3], seed)
        function = callback(kernel)
        address = ctypes.cast(function, ctypes.c_void_p).value
        whole = _three(Box((0,) * len(extent), extent))
        given = {"scalars": _scalars(kernel), "where": ORIGIN, "wrap": wrap, "layers": layers}
        call_kernel(address, kernel, other, whole, **given)
        return block, {name: flat(kernel, array) for name, array in other.arrays.items()}
    arrays = {name: flat(kernel, array).copy() for name, array in block.arrays.items()}
    whole = Box((0,) * len(extent), extent)
    plain = replace(kernel, inlined=())
    steps = [
        (producer.kernel, whole.shift(offset).intersect(layer))
        for producer, layer in zip(kernel.inlined, layers, strict=True)
        for offset in producer.offsets
    ]
    for one, box in [*steps, (plain, whole)]:
        cells = box.shift((HALO,) * len(extent))
        evaluate(one, arrays, _scalars(kernel), cells, [-HALO] * len(extent))
    return block, arrays


def _assert_same(case, block, arrays):
    kernel, _, _, wrap = case
    assert_same(kernel, block, arrays, beyond=HALO if wrap else 0)


WAYS = st.fixed_dictionaries(
    {
        "threads": st.sampled_from([1, 2, 3]),
        "stream": st.integers(0, 1),
        "tile": st.sampled_from([(0, 0), (16, 2), (64, 1), (5, 100)]),
    }
)
CHOICES = st.integers(0, len(CASES) - 1), st.integers(0, 99), st.integers(0, 10**6)


def test_all_kinds_of_kernels_are_fed():
    assert len(CASES) == 12
    assert {len(kernel.inlined) for kernel in KERNELS} == {2, 4, 6, 9, 13, 20, 30}


@pytest.fixture(scope="module")
def compiled():
    return build(print_source(KERNELS))


@settings(max_examples=80, deadline=None)
@given(*CHOICES, WAYS)
def test_compiled(compiled, number, values, seed, how):
    kernel, layers, extent, wrap = case = CASES[number]
    block, arrays = _meaning(case, values)
    address = compiled.address(compiled.entries[number])
    given = {"scalars": _scalars(kernel), "where": ORIGIN, "wrap": wrap, "layers": layers}
    for box in _pieces(extent, seed):
        call_kernel(address, kernel, block, box, **how, **given)
    _assert_same(case, block, arrays)


@settings(max_examples=60, deadline=None)
@given(*CHOICES)
def test_interpreted(number, values, seed):
    kernel, layers, extent, wrap = case = CASES[number]
    block, arrays = _meaning(case, values)
    function = callback(kernel)
    address = ctypes.cast(function, ctypes.c_void_p).value
    given = {"scalars": _scalars(kernel), "where": ORIGIN, "wrap": wrap, "layers": layers}
    for box in _pieces(extent, seed):
        call_kernel(address, kernel, block, box, **given)
    _assert_same(case, block, arrays)


@pytest.fixture(scope="module")
def emulation():
    return build(emulated(print_cuda(KERNELS)))


@settings(max_examples=80, deadline=None)
@given(*CHOICES, st.sampled_from([(1, 1, 1), (32, 1, 1), (8, 4, 2)]))
def test_on_a_device_in_any_order(emulation, number, values, seed, threads):
    kernel, layers, extent, wrap = case = CASES[number]
    block, arrays = _meaning(case, values)
    address = emulation.address(emulation.entries[number])
    given = {"scalars": _scalars(kernel), "where": ORIGIN, "wrap": wrap, "layers": layers}
    whole = Box((0,) * len(extent), extent)
    given["free_of_inlined"] = free_of_inlined(kernel, whole, layers)
    for box in _pieces(extent, seed):
        launch_kernel(address, kernel, block, box, threads=threads, seed=seed, **given)
    _assert_same(case, block, arrays)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0].name)
def test_all_but_the_outermost_cells_are_known_to_have_no_producers(case):
    kernel, layers, extent, _ = case
    whole = Box((0,) * len(extent), extent)
    found = free_of_inlined(kernel, whole, layers)
    far = [max(abs(o[a]) for f in kernel.inlined for o in f.offsets) for a in range(len(extent))]
    assert found.contains(whole.grow([-n for n in far], [-n for n in far]))
    for producer, layer in zip(kernel.inlined, layers, strict=True):
        if layer is not None:
            axis, side = producer.layer
            at_end = found.lower[axis] > 0 if side < 0 else found.upper[axis] < extent[axis]
            assert at_end
