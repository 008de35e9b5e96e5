"""Mistakes of first programs: each ends in one message of ours, before anything runs."""

import re

import numpy as np
import pytest
from errors.telling import told, traced

import halocline as hc
from halocline.errors import (
    GridError,
    HaloclineError,
    KernelError,
    OutOfMemoryError,
    PlanError,
)


def plain(T, out):
    out[0, 0] = T[0, 0]


def test_a_function_without_the_decorator(T, out):
    assert told(KernelError, lambda: plain(T, out)) == (
        "Field 'out' was assigned outside of a kernel. Write @hc.kernel before the function that "
        "does it, or give all cells their values with out.set(…)."
    )


def test_a_kernel_of_something_else():
    assert told(KernelError, lambda: hc.kernel(3)) == (
        "'hc.kernel' was given 3; expected a function of fields. Write @hc.kernel on the line "
        "before 'def'."
    )


def test_a_kernel_that_is_not_called(grid):
    assert told(PlanError, lambda: hc.Simulation(grid, [hc.kernel(plain)])) == (
        "The kernel 'plain' stands in the list of steps; expected a called kernel, swap, repeat, "
        "every, until, assign, a reduction or a function. Call the kernel with its fields: "
        "heat(T, T_new, a=0.1)."
    )


@pytest.mark.parametrize("function", [lambda a: a @ a, lambda a: 2 @ a])
def test_operations_that_the_language_lacks(T, out, function):
    def kernel(T, out):
        out[0, 0] = function(T[0, 0])

    assert traced(kernel, T, out) == (
        "'@' was applied to a value that differs from cell to cell. There are + - * / // % ** and, "
        "for integers, & | ^ ~ << >>; value.astype('int64') drops the fraction."
    )


@pytest.mark.parametrize(
    ("function", "name"),
    [(np.arcsinh, "arcsinh"), (np.sum, "sum"), (np.round, "round"), (np.clip, "clip")],
)
def test_functions_of_numpy_that_the_language_lacks(T, out, function, name):
    def kernel(T, out):
        out[0, 0] = function(T[0, 0], 1) if name in ("round", "clip") else function(T[0, 0])

    assert traced(kernel, T, out) == (
        f"'np.{name}' was applied to a value that differs from cell to cell. The language has "
        "hc.sqrt, exp, log, sin, cos, tanh, abs, minimum, maximum, where and others "
        "(docs/guide/language.md names all), under NumPy's names too."
    )


def test_an_array_in_a_kernel(T, out):
    def kernel(T, out):
        out[0, 0] = np.ones((8, 6)) * T[0, 0]

    assert traced(kernel, T, out) == (
        "A NumPy array of shape (8, 6) was used in a kernel; expected a number or a value of a "
        "field. Put its values into a field with 'set', and pass that to the kernel."
    )


@pytest.mark.parametrize("convert", [np.asarray, np.array, lambda T: np.array([T, T])])
def test_a_field_as_an_array(T, convert):
    assert told(KernelError, lambda: convert(T)) == (
        "A NumPy array was to be made of something that stands for a value in each cell. In a "
        "kernel compute with it as it is; elsewhere field.gather() returns the values of all cells "
        "on rank 0, field.local() those of this rank."
    )


def test_a_value_of_a_cell_as_a_whole_number(T, out):
    def kernel(T, out):
        out[0, 0] = [1.0, 2.0][T[0, 0]]

    assert traced(kernel, T, out).startswith("A function of plain numbers was applied")


@pytest.mark.parametrize(
    ("on", "shown"),
    [
        (np.ones((8, 6), bool), "an array of bool with the shape (8, 6)"),
        (3, "3"),
        ((0, 4), "(0, 4)"),
    ],
)
def test_a_region_that_is_none(T, out, on, shown):
    assert told(KernelError, lambda: hc.kernel(plain)(T, out, on=on)) == (
        f"Kernel 'plain' was given on={shown}; expected a side ('x-'), an hc.Box of cells, "
        "or a field that is not zero where it is to run. Of an array make a field: mask = "
        "grid.field('mask', dtype='bool'); mask.set(array)."
    )


@pytest.mark.parametrize(
    ("function", "count"), [(lambda: 0.0, 0), (lambda x: x, 1), (lambda x, y, z: x, 3)]
)
def test_initial_values_of_other_arguments(T, function, count):
    assert told(GridError, lambda: T.set(function)) == (
        f"Field 'T' was set to a function of {count} arguments; expected one of 2, the coordinates "
        "x, y."
    )


def test_values_that_no_memory_could_hold():
    T = hc.Grid((100_000, 100_000)).field("T")
    T.set(1.0)  # a number takes no memory
    assert re.match(
        r"The values that field 'T' is set to take 80\.0 GB on this rank, where [\d.]+ GB are "
        r"free\. Make the simulation first, then each rank has values of its own cells only; or "
        r"use more nodes, a smaller grid or dtype='float32'\.$",
        told(OutOfMemoryError, lambda: T.set(lambda x, y: x + y)),
    )


def test_values_of_another_field(T, out):
    assert told(KernelError, lambda: out.set(T)).startswith("A NumPy array was to be made of")


def test_values_before_the_first_run(grid, T, out):
    simulation = hc.Simulation(grid, [hc.kernel(plain)(T, out)], target="numpy", threads=1)
    for ask in (T.local, T.gather, T.on_device):
        assert told(GridError, ask) == (
            "Field 'T' is not stored yet: that is done when its simulation first runs. Ask after "
            "simulation.run(…), or write simulation.run(0) before."
        )
    simulation.run(0, progress=False)
    assert T.local()[0].shape == (8, 6)


@pytest.mark.parametrize(
    ("condition", "shown"), [("neumann", "'neumann'"), (1.0, "1.0"), (None, "None")]
)
def test_boundaries_that_are_none(condition, shown):
    T = hc.Grid((4,)).field("T")
    assert told(GridError, lambda: T.boundary("x-", condition)) == (
        f"Field 'T' was given {shown} as boundary on side 'x-'; expected hc.Dirichlet(value), "
        "hc.Neumann(gradient), hc.Robin(a, b, c) or a kernel of one field."
    )


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (None, "None"),
        (np.ones((3, 2)), "an array of float64 with the shape (3, 2)"),
        ([1.0, 2.0], "[1.0, 2.0]"),
        ("hot", "'hot'"),
        (float("nan"), "nan"),
    ],
)
@pytest.mark.parametrize("kind", [hc.Dirichlet, hc.Neumann])
def test_values_of_boundaries_that_are_no_numbers(kind, given, shown):
    T = hc.Grid((4,)).field("T")
    assert told(GridError, lambda: T.boundary("x-", kind(given))) == (
        f"The boundary of 'T' on side 'x-' was given {shown}; expected a number or an "
        "hc.Parameter. A value that changes with time is a parameter or a function of t; for one "
        "that depends on the field give a kernel that runs on the layer."
    )


def test_a_swap_of_a_field_with_itself(T):
    assert told(PlanError, lambda: hc.swap(T, T)) == (
        "'swap' was given the field 'T' twice; expected two different fields."
    )


def test_a_swap_of_something_else(T):
    assert told(PlanError, lambda: hc.swap(T, 3)) == "'swap' was given 3; expected two fields."


def test_no_steps(grid):
    assert told(PlanError, lambda: hc.Simulation(grid, [])) == (
        "The simulation was given an empty list of steps; expected at least one, such as a called "
        "kernel."
    )


@pytest.mark.parametrize("spacing", [float("nan"), float("inf"), -1.0])
def test_a_spacing_that_is_no_length(spacing):
    assert told(GridError, lambda: hc.Grid((4,), spacing=spacing)) == (
        f"A grid spacing of ({spacing},) was given; expected positive numbers."
    )


def test_a_spacing_and_an_origin_that_are_no_numbers():
    assert told(GridError, lambda: hc.Grid((4,), spacing=[None])) == (
        "'spacing' was given [None]; expected numbers."
    )
    assert told(GridError, lambda: hc.Grid((4, 4), spacing="wide")) == (
        "'spacing' was given 'wide'; expected numbers."
    )
    assert told(GridError, lambda: hc.Grid((4,), origin=float("nan"))) == (
        "A grid's origin at (nan,) was given; expected finite numbers."
    )


@pytest.mark.parametrize("extent", ["ab", (None,), ("4",)])
def test_an_extent_that_is_no_number(extent):
    assert told(GridError, lambda: hc.Grid(extent)).startswith(
        f"A grid of extent {extent!r} was asked for; expected one to three positive whole numbers."
    )


def test_a_reduction_that_a_kernel_reads_before_it_is_evaluated(grid, T, out):
    @hc.kernel
    def scaled(T, out, *, s):
        out[0, 0] = s * T[0, 0]

    total = hc.sum(T)
    for steps in ([scaled(T, out, s=total), total], [hc.every(2, total), scaled(T, out, s=total)]):
        simulation = hc.Simulation(grid, steps, target="numpy", threads=1)
        assert told(PlanError, lambda s=simulation: s.run(1)) == (
            "Kernel 'scaled' is given the reduction 'sum' before it has been evaluated. Put the "
            "reduction before it among the steps, or give it a value to begin with: its "
            "attribute 'value'."
        )
    total.value = 2.0
    T.set(1.0)
    hc.Simulation(grid, steps, target="numpy", threads=1).run(1, progress=False)
    assert out.gather()[0, 0] == 2.0


def test_a_reduction_in_a_boundary_before_it_is_evaluated():
    grid = hc.Grid((8,))
    T, out = grid.field("T"), grid.field("out")
    total = hc.sum(T)
    T.boundary("x-", hc.Dirichlet(total))

    @hc.kernel
    def left(T, out):
        out[0] = T[-1]

    simulation = hc.Simulation(grid, [left(T, out), total], target="numpy", threads=1)
    assert told(PlanError, lambda: simulation.run(1)).startswith(
        "Kernel 'boundary_xlow_1' is given the reduction 'sum' before it has been evaluated."
    )


def test_a_reduction_of_a_parameter():
    assert told(KernelError, lambda: hc.sum(hc.Parameter(1.0, "a"))) == (
        "'hc.sum' was given the parameter 'a'; expected a field or an expression of fields."
    )


def test_what_is_not_a_number_from_the_beginning_is_not_called_unstable(grid, T, out):
    T.set(np.full((8, 6), np.nan))
    step = hc.kernel(plain)(T, out)
    simulation = hc.Simulation(grid, [step], target="numpy", threads=1, check_every=1)
    assert told(HaloclineError, lambda: simulation.run(1, progress=False)).startswith(
        "Field 'out' is not a number in cell (0, 0) at step 1. Some of the values that 'T' was set "
        "to were no numbers: look at these. If no cell that is computed reads them: The "
    )


def test_values_that_no_kernel_reads_are_not_blamed_where_a_run_diverges(grid, T, out):
    @hc.kernel
    def spoil(T, *, s):
        T[0, 0] = s / (T[0, 0] * 0.0)

    out.set(np.nan)  # as on land, for pictures
    simulation = hc.Simulation(grid, [spoil(T, s=0.0)], target="numpy", threads=1, check_every=1)
    assert told(HaloclineError, lambda: simulation.run(1, progress=False)).startswith(
        "Field 'T' is not a number in cell (0, 0) at step 1. The computation has become unstable"
    )


def test_a_run_ends_with_a_search_for_what_is_not_a_number(grid, T):
    @hc.kernel
    def spoil(T, *, s):
        T[0, 0] = s / (T[0, 0] * 0.0)

    simulation = hc.Simulation(grid, [spoil(T, s=0.0)], target="numpy", threads=1)
    assert told(HaloclineError, lambda: simulation.run(3, progress=False)).startswith(
        "Field 'T' is not a number in cell (0, 0) at step 3."
    )


def test_a_layer_that_reads_beyond_another_side():
    grid = hc.Grid((5, 4))
    T, U, out = (grid.field(name) for name in ("T", "U", "out"))

    @hc.kernel
    def fill(T, U):
        T[0, 0] = U[1, 1]

    @hc.kernel
    def left(T, out):
        out[0, 0] = T[-1, 0]

    simulation = hc.Simulation(grid, [fill(T, U, on="x-"), left(T, out)], target="numpy", threads=1)
    assert told(PlanError, lambda: simulation.run(1)).startswith(
        "Kernel 'fill' reads 'U' beyond side 'y+' of the domain, where no boundary is given."
    )


def test_a_layer_that_reads_its_own_field_beyond_another_side():
    grid = hc.Grid((5, 4))
    T, out = grid.field("T"), grid.field("out")

    @hc.kernel
    def fill(T):
        T[0, 0] = T[1, 1]

    @hc.kernel
    def left(T, out):
        out[0, 0] = T[-1, 0]

    simulation = hc.Simulation(grid, [fill(T, on="x-"), left(T, out)], target="numpy", threads=1)
    assert told(PlanError, lambda: simulation.run(1)).startswith(
        "Kernel 'fill' reads 'T' beyond side 'y+' of the domain, where no boundary is given."
    )


@pytest.mark.parametrize("reach", [-9, 12])
def test_a_mirror_that_is_not_wide_enough(reach):
    grid = hc.Grid((8,))
    T, out = grid.field("T"), grid.field("out")
    for side in ("x-", "x+"):
        T.boundary(side, hc.Dirichlet(0.0))

    @hc.kernel
    def far(T, out):
        out[0] = T[reach]

    simulation = hc.Simulation(grid, [far(T, out)], target="numpy", threads=1)
    assert told(GridError, lambda: simulation.run(1)) == (
        "Field 'T' is read 9 cells beyond side 'x-', where its boundary mirrors what lies within, "
        "but the grid has only 8 cells along x. Use a wider grid, or a kernel that reads less far."
    )


@pytest.mark.parametrize("reach", [-4, 5])
def test_a_mirror_of_what_the_opposite_side_prescribes(reach):
    grid = hc.Grid((4,))
    F, out = grid.field("F", location="x_face"), grid.field("out")
    F.boundary("x-", hc.Neumann(0.0))
    F.boundary("x+", hc.Dirichlet(1.0))

    @hc.kernel
    def far(F, out, *, cells):
        out[0] = F[reach if cells == "far" else reach + (1 if reach < 0 else -1)]

    hc.Simulation(grid, [far(F, out, cells="near")]).run(1, progress=False)
    assert told(GridError, lambda: hc.Simulation(grid, [far(F, out, cells="far")]).run(1)) == (
        "Field 'F' is read 4 cells beyond side 'x-', where its boundary mirrors what lies within, "
        "but the grid has only 4 cells along x. Use a wider grid, or a kernel that reads less far."
    )


def test_halos_deeper_than_the_grid(T, out):
    step = hc.kernel(plain)(T, out)
    strategy = hc.Strategy(depth=100)
    simulation = hc.Simulation(T.grid, [step], strategy=strategy, target="numpy", threads=1)
    assert told(PlanError, lambda: simulation.run(1)) == (
        "Halos of depth 100 were asked for, but the grid has at most 8 cells along an axis. Use a "
        "smaller depth."
    )
