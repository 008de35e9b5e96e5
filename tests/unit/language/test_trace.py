"""What a user's function becomes when it is called with symbols."""

import pickle
from typing import NamedTuple

import numpy as np
import pytest

import halocline as hc
from halocline.errors import KernelError
from halocline.geometry import UNBOUNDED, Box
from halocline.language.expressions.expr import (
    Binary,
    Cast,
    Compare,
    Const,
    Index,
    Read,
    Scalar,
    Unary,
    Where,
)
from halocline.language.expressions.show import show
from halocline.language.grids.mask import masked
from halocline.plan.program.launches import launches_of


@pytest.fixture
def grid():
    return hc.Grid((8, 6), periodic=(True, False), spacing=(0.5, 0.25))


@pytest.fixture
def fields(grid):
    return grid.field("T"), grid.field("T_new")


def traced(fields, function, **scalars):
    """Return the value that the function assigns in its only statement."""
    (statement,) = hc.kernel(function)(*fields, **scalars).kernel.statements
    return statement.value


def at(i, j, field="T", component=0):
    return Read(field, component, (i, j))


def test_arithmetic_keeps_the_order_written(fields):
    def function(T, out):
        out[0, 0] = T[1, 0] - (T[0, 0] + 2.0) * T[0, -1]

    product = Binary("mul", Binary("add", at(0, 0), Const(2.0)), at(0, -1))
    assert traced(fields, function) is Binary("sub", at(1, 0), product)


def test_a_number_on_the_left_becomes_a_constant_and_one_of_numpy_keeps_its_width(fields):
    def function(T, out):
        out[0, 0] = np.float32(3.0) / T + 1

    three = Cast("float32", Const(3.0))
    expected = Binary("add", Binary("div", three, at(0, 0)), Const(1))
    assert traced(fields, function) is expected


def test_a_field_without_offset_is_the_cell_itself(fields):
    def function(T, out):
        out[0, 0] = -T

    assert traced(fields, function) is Unary("neg", at(0, 0))


def test_an_expression_can_be_shifted_as_a_whole(fields):
    def function(T, out):
        flux = T[1, 0] - T[0, 0]
        out[0, 0] = flux - flux[-1, 0]

    flux, moved = Binary("sub", at(1, 0), at(0, 0)), Binary("sub", at(0, 0), at(-1, 0))
    assert traced(fields, function) is Binary("sub", flux, moved)


def test_shifting_twice_adds_the_offsets(fields):
    def function(T, out):
        out[0, 0] = (+T)[1, 2][-3, 1]

    assert traced(fields, function) is at(-2, 3)


def test_several_statements_are_kept_in_order(fields):
    @hc.kernel
    def function(T, out):
        T[0, 0] = 2.0 * T
        out[0, 0] = T[1, 0]
        T[0, 0] = 0.0

    kernel = function(*fields).kernel
    assert [s.field for s in kernel.statements] == ["T", "out", "T"]


def test_where_chooses_in_each_cell(fields):
    def function(T, out):
        out[0, 0] = hc.where((T > 0) & ~(T == 1.0), T, 0.0)

    positive, one = Compare("gt", at(0, 0), Const(0)), Compare("eq", at(0, 0), Const(1.0))
    condition = Binary("and", positive, Unary("invert", one))
    assert traced(fields, function) is Where(condition, at(0, 0), Const(0.0))


def test_a_float_is_a_scalar_at_run_time_and_an_int_is_known_while_tracing(fields):
    def function(T, out, *, a, n):
        out[0, 0] = sum((T[i, 0] for i in range(n)), a * T)

    value = traced(fields, function, a=0.5, n=2)
    first = Binary("mul", Scalar("a"), at(0, 0))
    assert value is Binary("add", Binary("add", first, at(0, 0)), at(1, 0))


def test_scalars_have_defaults_and_are_bound_in_order(fields):
    @hc.kernel
    def function(T, out, *, a, b=2.0):
        out[0, 0] = a * T + b

    call = function(*fields, a=0.5)
    assert (call.kernel.scalars, call.scalars) == (("a", "b"), (0.5, 2.0))


def test_parameters_keep_their_identity(fields):
    amplitude = hc.Parameter(3.0, "amplitude")

    @hc.kernel
    def function(T, out, *, a, t):
        out[0, 0] = a * T + t

    assert function(*fields, a=amplitude, t=hc.time).scalars == (amplitude, hc.time)


def test_plain_values_choose_among_programs(fields):
    def function(T, out, *, is_damped):
        out[0, 0] = 0.5 * T if is_damped else T

    assert traced(fields, function, is_damped=False) is at(0, 0)


def test_components_are_subscripted_first(grid):
    f, g = grid.field("f", components=3), grid.field("g", components=3)

    @hc.kernel
    def function(f, g):
        for q, population in enumerate(f):
            g[q] = population[0, q]

    kernel = function(f, g).kernel
    assert [s.component for s in kernel.statements] == [0, 1, 2]
    assert [s.value for s in kernel.statements] == [at(0, q, "f", q) for q in range(3)]


def test_index_is_the_global_number_of_the_cell_and_moves_with_a_shift(fields):
    def function(T, out):
        out[0, 0] = hc.index("y")[0, -1]

    assert traced(fields, function) is Index(1, -1)


def test_powers_are_products_by_halving(fields):
    def function(T, out):
        out[0, 0] = T**4 + T**0.5

    square = Binary("mul", at(0, 0), at(0, 0))
    root = Unary("sqrt", at(0, 0))
    assert traced(fields, function) is Binary("add", Binary("mul", square, square), root)


def test_laplacian_of_unequal_spacing_weighs_each_axis(fields):
    def function(T, out):
        out[0, 0] = hc.laplacian(T)

    value = traced(fields, function)
    assert value is Binary(
        "sub",
        Binary(
            "add",
            Binary("mul", Const(1.0 / 0.5**2), Binary("add", at(-1, 0), at(1, 0))),
            Binary("mul", Const(1.0 / 0.25**2), Binary("add", at(0, -1), at(0, 1))),
        ),
        Binary("mul", Const(2.0 / 0.5**2 + 2.0 / 0.25**2), at(0, 0)),
    )


def test_a_mask_keeps_the_old_value_where_it_is_zero(grid, fields):
    wet = grid.field("wet", dtype=bool)

    @hc.kernel
    def function(T, out):
        out[0, 0] = 2.0 * T

    call = function(*fields, on=wet)
    assert call.mask is wet
    (statement,) = masked(call.kernel, wet).statements
    mask = Read("mask_of_function", 0, (0, 0))
    doubled = Binary("mul", Const(2.0), at(0, 0))
    assert statement.value is Where(mask, doubled, at(0, 0, "out"))


def test_a_kernel_runs_on_all_cells_and_their_periodic_images(fields):
    @hc.kernel
    def function(T, out):
        out[0, 0] = T

    call = function(*fields)
    assert [launch.region for launch in launches_of(call)] == [Box((-UNBOUNDED, 0), (UNBOUNDED, 6))]
    assert function(*fields, on=Box((1, 2), (5, 6))).region == Box((1, 2), (5, 6))


def test_a_kernel_on_a_side_runs_on_the_layer_beyond_it(fields):
    @hc.kernel
    def function(T, out):
        out[0, 0] = T[0, -1]

    call = function(*fields, on="y+")
    assert call.is_layer
    assert (call.region.lower[1], call.region.upper[1]) == (6, 7)


def test_kernels_traced_twice_are_equal_and_survive_pickling(fields):
    @hc.kernel
    def function(T, out, *, a):
        out[0, 0] = a * T[1, 0]

    kernel = function(*fields, a=1.0).kernel
    assert kernel == function(*fields, a=2.0).kernel
    assert pickle.loads(pickle.dumps(kernel)) == kernel


def test_a_kernel_shows_shared_values_once(fields):
    @hc.kernel
    def function(T, out, *, a):
        square = T * T
        out[0, 0] = square + a * square[0, 0]

    assert show(function(*fields, a=1.0).kernel) == (
        "kernel function(T: float64[1], out: float64[1]; a)\n"
        "  t1 = (T[0, 0] * T[0, 0])\n"
        "  out[0, 0] = (t1 + (a * t1))"
    )


class Fluxes(NamedTuple):
    """Fields and a number under names."""

    along_x: hc.Field
    factor: float
    along_y: hc.Field | None = None


def test_fields_by_keyword_are_fields_of_the_kernel_like_others():
    grid = hc.Grid((4, 4), periodic=True)
    a, b, c, d, e = (grid.field(name) for name in "abcde")

    @hc.kernel
    def gather(a, *, wind=None, tracers=(), fluxes=None):
        a[0, 0] = sum((t[1, 0] for t in tracers), 0.0 if wind is None else wind)
        if fluxes is not None:
            a[0, 0] = a + fluxes.factor * fluxes.along_x[0, 1]

    for number, field in enumerate((b, c, d, e)):
        field.set(lambda x, y, n=number: 10.0**n * (1 + x // 1 + 0 * y))
    simulation = hc.Simulation(grid, [gather(a, wind=b, tracers=(c, d), fluxes=Fluxes(e, 2.0))])
    simulation.run(1)
    x = np.arange(4)
    after = (x + 1) % 4
    assert np.array_equal(a[:, 2], 2001 + x + 110 * (1 + after) + 2000 * x)
    simulation = hc.Simulation(grid, [gather(a)])
    simulation.run(1)
    assert not a[:, :].any()


def test_the_same_field_may_be_given_by_several_keywords():
    grid = hc.Grid((4,), periodic=True)
    u, v = grid.field("u"), grid.field("v")

    @hc.kernel
    def add(v, *, first, second):
        v[0] = first + second[1]
        v[0] = v + first

    u.set(lambda x: x)
    hc.Simulation(grid, [add(v, first=u, second=u)]).run(1)
    assert np.array_equal(v[:], 2 * u[:] + np.roll(u[:], -1))


def test_at_is_a_subscript_by_the_names_of_axes():
    grid = hc.Grid((4, 3, 2), periodic=True)
    u, v, row = grid.field("u"), grid.field("v"), grid.field("row", axes="y")

    @hc.kernel
    def named(u, v, row):
        v[0, 0, 0] = (
            hc.at(u, x=1) + hc.at(row, x=3, y=-1) + hc.at(u * row, z=1, y=1) + hc.at(2.0, x=1)
        )

    @hc.kernel
    def subscripts(u, v, row):
        v[0, 0, 0] = u[1, 0, 0] + row[-1] + u[0, 1, 1] * row[1] + 2.0

    assert named(u, v, row).kernel.statements == subscripts(u, v, row).kernel.statements


@pytest.mark.parametrize(
    "value",
    [lambda: hc.index("x"), lambda: 2.0 * hc.coordinate("x"), lambda: hc.random(seed=1)],
    ids=["index", "coordinate", "random"],
)
def test_at_moves_what_reads_no_field_too(value):
    grid = hc.Grid((6, 4), periodic=True)
    here, there, subscript = (grid.field(name) for name in ("here", "there", "subscript"))

    @hc.kernel
    def fill(here, there, subscript):
        one = value()
        here[0, 0] = one
        there[0, 0] = hc.at(one, x=2, y=-1)
        subscript[0, 0] = one[2, -1]

    hc.Simulation(grid, [fill(here, there, subscript)]).run(1)
    assert len(np.unique(here[:])) > 1
    assert np.array_equal(there[:], np.roll(here[:], (-2, 1), (0, 1)))
    assert np.array_equal(subscript[:], there[:])


def test_at_moves_what_reads_no_field_outside_of_kernels_too():
    grid = hc.Grid((6, 4), periodic=True)
    u = grid.field("u")
    u.set(lambda x, y: x + 10.0 * y)
    total = hc.sum(u * hc.at(hc.index("x"), x=1, y=2) + u * hc.index("y")[0, 1])
    simulation = hc.Simulation(grid, [total])
    simulation.run(1)
    x, y = np.indices((6, 4))
    expected = (u[:] * ((x + 1) % 6) + u[:] * ((y + 1) % 4)).sum()
    assert simulation.reduce(total) == pytest.approx(expected, rel=1e-14)


def test_an_expression_has_a_subscript_for_each_axis_of_the_kernel():
    grid = hc.Grid((3, 4, 5), periodic=True)
    w, further = grid.field("w", axes="yz"), grid.field("further", axes="yz")

    @hc.kernel
    def fill(w, further):
        w[0, 0] = hc.index("y") + 10.0 * hc.index("z")
        further[0, 0] = (hc.index("y") + 10.0 * hc.index("z"))[1, -1]

    hc.Simulation(grid, [fill(w, further)]).run(1)
    assert np.array_equal(further[:], np.roll(w[:], (-1, 1), (0, 1)))


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ({"w": 1}, "'hc.at' was given the axis 'w'; expected x, y or z."),
        ({"x": 0.5}, "'hc.at' was given x=0.5; expected a whole number of cells."),
        ({"z": 1}, "'hc.at' was given the axis 'z'; the grid has x, y."),
    ],
)
def test_at_refuses_what_is_no_neighbour(cells, message):
    u = hc.Grid((4, 4)).field("u")

    @hc.kernel
    def move(u):
        u[0, 0] = hc.at(u, **cells)

    with pytest.raises(KernelError) as error:
        move(u)
    assert message in str(error.value)


def test_all_fields_may_be_given_by_keyword():
    u = hc.Grid((4,)).field("u")

    @hc.kernel
    def double(*, values):
        values[...] = 2.0 * values

    u.set(3.0)
    hc.Simulation(u.grid, [double(values=u)]).run(1)
    assert np.array_equal(u[:], [6.0] * 4)
    with pytest.raises(KernelError, match="was called with 0 fields; expected at least one"):
        double(values=1.0)
