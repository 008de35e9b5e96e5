"""CUDA text gives the bits of the interpreter: as C++, its threads in any order; no device here."""

from __future__ import annotations

import math
import random
import re
from pathlib import Path

import pytest
import stencils
from agreement import KERNELS, SCALARS, assert_same, cases, expected, expected_around
from driver import HALO, ORIGIN, launch_batch, launch_kernel, make_block
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from related_kernels import random_kernel

from halocline.analysis.threads import COLUMN, THREADS, threads_for
from halocline.codegen.cuda import print_cuda
from halocline.codegen.cuda_services import print_services
from halocline.codegen.emulation import emulated
from halocline.codegen.source import Source
from halocline.errors import CompileError
from halocline.jit.build import build
from halocline.jit.nvrtc import architectures, compile_cuda
from halocline.language.expressions.expr import Binary, Const, Read, Scalar, Unary
from halocline.language.expressions.kernel import FieldType, Kernel, Statement
from halocline.targets import source_for

SHAPES = ((1, 1, 1), (32, 1, 1), (8, 4, 2), (64, 2, 2), (THREADS, 1, 1))
SEEDS = st.integers(0, 2**64 - 1)

# Of any kind but 177: the text before the kernels has functions that not all of them use.
WARNING = re.compile(r"ptxas.*warning|halocline\.cu.*warning #(?!177)")


@pytest.fixture(scope="module")
def library():
    return build(emulated(print_cuda(KERNELS)))


def _launch(library, number, block, box, **options):
    address = library.address(library.entries[number])
    launch_kernel(address, KERNELS[number], block, box, scalars=SCALARS, **options)


@settings(max_examples=100)
@given(cases(), st.sampled_from(SHAPES), SEEDS)
def test_emulated_and_interpreted_give_the_same_bits(library, case, threads, seed):
    number, extent, box, where, values = case
    block = make_block(KERNELS[number], extent, values)
    arrays = expected(KERNELS[number], block, [box], where)
    _launch(library, number, block, box, where=where, threads=threads, seed=seed)
    assert_same(KERNELS[number], block, arrays)


@settings(max_examples=50)
@given(cases(), st.sampled_from(SHAPES), SEEDS)
def test_rows_around_the_grid_go_on_at_their_other_end(library, case, threads, seed):
    number, extent, box, where, values = case
    assume(extent[0] >= HALO)
    block = make_block(KERNELS[number], extent, values)
    arrays = expected_around(KERNELS[number], extent, values, box, where)
    given = {"where": where, "threads": threads, "seed": seed}
    _launch(library, number, block, box, wrap=extent[0], **given)
    assert_same(KERNELS[number], block, arrays, beyond=HALO)


def _active_runs(box, seed):
    """Return some pieces of the rows of a box, in order; some have no cells."""
    chance = random.Random(seed)
    (x, y, z), (x_end, y_end, z_end) = box
    found = []
    for row in ((j, k) for k in range(z, z_end) for j in range(y, y_end)):
        ends = sorted(chance.randint(x, x_end) for _ in range(2 * chance.randint(0, 3)))
        found += [(low, high, *row) for low, high in zip(ends[::2], ends[1::2])]
    return found


@settings(max_examples=50)
@given(cases(), st.sampled_from([1, 32, THREADS]), SEEDS)
def test_active_runs_are_computed_and_nothing_else(library, case, threads, seed):
    number, extent, box, where, values = case
    runs = _active_runs(box, seed)
    block = make_block(KERNELS[number], extent, values)
    pieces = [((low, y, z), (high, y + 1, z + 1)) for low, high, y, z in runs]
    arrays = expected(KERNELS[number], block, pieces, where)
    given = {"where": where, "threads": (threads, 1, 1), "seed": seed}
    _launch(library, number, block, box, runs=runs, **given)
    assert_same(KERNELS[number], block, arrays)


@pytest.fixture(scope="module")
def batched():
    source = print_cuda(KERNELS, {k: replace(threads_for(k), is_batched=True) for k in KERNELS})
    return build(emulated(source))


def _parts(box, kernel, seed):
    """Return disjoint boxes that a box is cut into; of columns none is cut."""
    chance = random.Random(seed)
    parts = [box]
    for axis in range(3):
        if threads_for(kernel).cells[axis] == COLUMN:
            continue
        for lower, upper in list(parts):
            cut = chance.randint(lower[axis], upper[axis])
            middle = (*upper[:axis], cut, *upper[axis + 1 :])
            parts.remove((lower, upper))
            parts += [(lower, middle), ((*lower[:axis], cut, *lower[axis + 1 :]), upper)]
    return [(lower, upper) for lower, upper in parts if all(map(int.__lt__, lower, upper))]


def _shape(kernel, box, seed):
    """Return some shape of at most THREADS threads, whose last axis has no more than there are."""
    chance = random.Random(seed)
    each = threads_for(kernel).cells
    most = [-(-(u - l) // c) if c > 1 else THREADS for l, u, c in zip(*box, each)]
    shape, left = [1, 1, 1], chance.choice([1, 16, THREADS])
    for axis in chance.sample(range(3), 3):
        while left > 1 and shape[axis] < most[axis]:
            shape[axis], left = 2 * shape[axis], left // 2
    return tuple(shape)


@settings(max_examples=100)
@given(cases(), st.booleans(), SEEDS)
def test_one_launch_does_many_boxes(batched, case, is_listed, seed):
    number, extent, box, where, values = case
    kernel = KERNELS[number]
    block = make_block(kernel, extent, values)
    parts = _parts(box, kernel, seed)
    lists = [_active_runs(part, seed) if is_listed else None for part in parts]
    shapes = [(THREADS, 1, 1) if is_listed else _shape(kernel, part, seed) for part in parts]
    computed = parts
    if is_listed:
        rows = (run for runs in lists for run in runs)
        computed = [((low, y, z), (high, y + 1, z + 1)) for low, high, y, z in rows]
    arrays = expected(kernel, block, computed, where)
    given = {"scalars": SCALARS, "where": where, "seed": seed}
    address = batched.address(batched.entries[number])
    launch_batch(address, kernel, block, list(zip(parts, shapes, lists, strict=True)), **given)
    assert_same(kernel, block, arrays)


def test_threads_that_depend_on_each_other_show():
    fields = (FieldType("a", "float64", 1),)
    # No kernel may read next door what it assigns there.
    value = Binary("add", Read("a", 0, (-1,)), Const(1.0))
    kernel = Kernel("wrong", 1, fields, (), (Statement("a", 0, value, (0,)),))
    source = emulated(print_cuda([kernel]))
    address = build(source).address(source.entries[0])
    results = set()
    for seed in range(3):
        block = make_block(kernel, (50, 1, 1), 0)
        box = ((0, 0, 0), (50, 1, 1))
        given = {"scalars": {}, "where": ORIGIN, "threads": (8, 1, 1), "seed": seed}
        launch_kernel(address, kernel, block, box, **given)
        results.add(block.arrays["a"].tobytes())
    assert len(results) == 3


def _assign(name, dtype, value):
    fields = (FieldType("a", dtype, 1),)
    return Kernel(name, 1, fields, (), (Statement("a", 0, Const(value), (0,)),))


NUMBERS = [
    _assign(f"number_{i}", dtype, value)
    for i, (dtype, value) in enumerate(
        [
            *((dtype, v) for dtype in ("float64", "float32") for v in (math.inf, -math.inf)),
            *((dtype, v) for dtype in ("float64", "float32") for v in (math.nan, -0.0, 0.1)),
            ("int64", -(2**63)),
            ("int64", 2**63 - 1),
            ("float16", 0.1),
        ]
    )
]


def test_printed_constants_are_exact():
    source = emulated(print_cuda(NUMBERS))
    library = build(source)
    for kernel, entry in zip(NUMBERS, source.entries, strict=True):
        block = make_block(kernel, (4, 1, 1), 0)
        arrays = expected(kernel, block, [((0, 0, 0), (4, 1, 1))], ORIGIN)
        given = {"scalars": {}, "where": ORIGIN, "threads": (4, 1, 1), "seed": 0}
        launch_kernel(library.address(entry), kernel, block, ((0, 0, 0), (4, 1, 1)), **given)
        assert_same(kernel, block, arrays)


def _kernel_of_strange_names():
    names = ("x", "double", "box", "threadIdx", "xm", "f", "f1", "ω", "omega")
    fields = tuple(FieldType(name, "float32", 12) for name in names)
    total = Binary("add", Unary("sqrt", Scalar("sqrt")), Scalar("δ"))
    for name in names[:-1]:
        for component in (1, 11):
            read = Read(name, component, (-1, 0))
            total = Binary("add", total, Binary("mul", read, read))
    value = Binary("mul", total, Scalar("turned"))
    statements = tuple(Statement("omega", c, value, (0, 0)) for c in (0, 11))
    return Kernel("new", 2, fields, ("sqrt", "turned", "δ", "unused"), statements)


STRANGE = _kernel_of_strange_names()


def test_names_that_mean_something_in_cuda_are_no_obstacle():
    source = emulated(print_cuda([STRANGE]))
    address = build(source).address(source.entries[0])
    block = make_block(STRANGE, (5, 4, 1), 0)
    scalars = {"sqrt": 4.0, "turned": 2.0, "δ": 0.5, "unused": 0.0}
    box = ((0, 0, 0), (5, 4, 1))
    arrays = expected(STRANGE, block, [box], ORIGIN, scalars)
    given = {"scalars": scalars, "where": ORIGIN, "threads": (8, 4, 1), "seed": 1}
    launch_kernel(address, STRANGE, block, box, **given)
    assert_same(STRANGE, block, arrays)
    lines = print_cuda([STRANGE]).text.splitlines()
    assert all(line.isascii() for line in lines if not line.startswith("//"))


def test_only_what_a_kernel_does_not_write_is_loaded_as_constant():
    fields = tuple(FieldType(name, "float64", 2) for name in "ab")
    value = Binary("add", Read("a", 0, (1,)), Read("b", 1, (0,)))
    kernel = Kernel("mixed", 1, fields, (), (Statement("b", 0, value, (0,)),))
    text = print_cuda([kernel]).text
    assert "b_0[x] = __ldg(&a_0_row[xp]) + b_1_row[x];" in text


def test_a_source_names_its_language_and_its_functions():
    source = print_cuda([STRANGE])
    assert isinstance(source, Source)
    assert source.language == "cuda"
    assert source.entries == ("halocline_new_0",)
    assert emulated(source).entries == ("halocline_new_0_launch",)


@pytest.fixture(params=["sm_70", "sm_80", "sm_90"])
def architecture(request):
    try:
        known = architectures()
    except CompileError as error:
        pytest.skip(str(error))
    if request.param not in known:
        pytest.skip(f"this NVRTC does not know '{request.param}' any more")
    return request.param


def test_nvrtc_compiles_random_kernels_and_strange_names_without_warnings(architecture):
    code = compile_cuda(print_cuda([*KERNELS[:12], KERNELS[35], *NUMBERS, STRANGE]), architecture)
    assert code.image.startswith(b"\x7fELF")
    assert not WARNING.search(code.log)


def test_what_sweeps_hand_on_stays_in_registers(architecture):
    sweeps = [kernel for kernel in map(random_kernel, range(30)) if kernel.sweep]
    code = compile_cuda(print_cuda(sweeps), architecture)
    assert not WARNING.search(code.log)
    spilled = re.findall(r"(\d+) bytes stack frame, (\d+) bytes spill stores", code.log)
    assert spilled == [("0", "0")] * len(sweeps)


def test_what_the_runtime_does_itself_spills_nothing(architecture):
    log = compile_cuda(print_services(), architecture).log
    spilled = re.findall(r"(\d+) bytes stack frame, (\d+) bytes spill stores", log)
    assert spilled == [("0", "0")] * len(print_services().entries)


def test_nvrtc_compiles_the_golden_text(architecture):
    text = Path(__file__).parents[2].joinpath("golden/heat.cu").read_text(encoding="utf-8")
    compile_cuda(Source("cuda", text, ("halocline_heat_0",)), architecture)


@pytest.mark.parametrize("streaming", ["two-grids", "in-place"])
def test_bgk_on_d3q19_in_single_precision_spills_nothing(architecture, streaming):
    problem = stencils.cavity((8, 8, 8), (True,) * 3, "float32", streaming)
    log = compile_cuda(source_for(problem.grid, problem.steps, "cuda"), architecture).log
    spilled = re.findall(r"(\d+) bytes stack frame, (\d+) bytes spill stores", log)
    assert spilled
    assert set(spilled) == {("0", "0")}, log
