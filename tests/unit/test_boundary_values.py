"""What boundaries prescribe: from place to place, with time, on parts of a side, on any layer."""

import numpy as np
import pytest
from errors.telling import told

import halocline as hc
from halocline.errors import GridError

N = (6, 5, 4)


@hc.kernel
def look(T, low, high, *, reach):
    for layer in range(reach):
        low[layer][0, 0, 0] = T[-layer - 1, 0, 0]
        high[layer][0, 0, 0] = T[layer + 1, 0, 0]


def layers(declare, reach=2, steps=1, **options):
    """Return the layers below x- and above x+, the innermost first, and the values inside."""
    grid = hc.Grid(N, spacing=(0.5, 1.0, 2.0), periodic=(False, False, True))
    T = grid.field("T", **options)
    low, high = (grid.field(name, components=reach) for name in ("low", "high"))
    inside = np.random.default_rng(1).random(T.space.shape)
    T.set(inside)
    T.boundary("x-", hc.Dirichlet(0.0))
    T.boundary("x+", hc.Dirichlet(0.0))
    declare(T)
    simulation = hc.Simulation(grid, [look(T, low, high, reach=reach)], dt=0.25, target="numpy")
    simulation.run(steps, progress=False)
    return low.gather()[:, 0], high.gather()[:, N[0] - 1], inside


def side(function):
    """Return a function of y and z in the cells of the side."""
    return function(np.arange(5)[:, None] + 0.5, 2.0 * (np.arange(4)[None, :] + 0.5))


ARRAY = side(lambda y, z: y + 10.0 * z)


@pytest.mark.parametrize(
    "value",
    [
        ARRAY,
        lambda y, z: y + 10.0 * z,
        lambda z, y: 10.0 * z + y,
        lambda x, y, z: y + 10.0 * z + x,
    ],
)
def test_values_differ_from_place_to_place(value):
    low, _, inside = layers(lambda T: T.boundary("x-", hc.Dirichlet(value)))
    assert np.allclose(low[0], 2.0 * ARRAY - inside[0], rtol=1e-14)
    assert np.allclose(low[1], 2.0 * ARRAY - inside[1], rtol=1e-14)


@pytest.mark.parametrize(("dtype", "value"), [("bool", False), ("uint8", 3), ("int16", -2)])
def test_layers_of_integers_get_the_value_as_it_is(dtype, value):
    grid = hc.Grid((6, 4))
    k, found = grid.field("k", dtype=dtype), grid.field("found", dtype=dtype)
    k.set(1)
    for name in ("x-", "x+"):
        k.boundary(name, hc.Dirichlet(value))

    @hc.kernel
    def look(k, found):
        found[0, 0] = hc.where(hc.index("x") < 3, k[-2, 0], k[2, 0])

    hc.Simulation(grid, [look(k, found)], target="numpy").run(1, progress=False)
    assert found[:, 0].tolist() == [value, value, 1, 1, value, value]


def test_a_gradient_may_change_with_time_and_place():
    _, high, inside = layers(
        lambda T: T.boundary("x+", hc.Neumann(lambda y, t: hc.sin(y) * hc.cos(t))), steps=3
    )
    # The third step begins after two of 0.25.
    slope = side(lambda y, z: np.sin(y) * np.cos(0.5) + 0.0 * z)
    assert np.allclose(high[0], inside[-1] + 0.5 * slope, rtol=1e-14)
    assert np.allclose(high[1], inside[-2] + 1.5 * slope, rtol=1e-14)


def test_several_sides_are_told_at_once():
    grid = hc.Grid((4, 3, 5), periodic=(False, True, False))
    T = grid.field("T")
    assert grid.sides == ("x-", "x+", "z-", "z+")
    T.boundary(grid.sides, hc.Neumann(1.0))
    T.boundary(["x+", "z-"], hc.Dirichlet(2.0))
    assert {side: parts[0].declared for side, parts in T.boundaries.items()} == {
        "x-": hc.Neumann(1.0),
        "x+": hc.Dirichlet(2.0),
        "z-": hc.Dirichlet(2.0),
        "z+": hc.Neumann(1.0),
    }
    with pytest.raises(GridError, match=r"There is no side 'w-'"):
        T.boundary(["x-", "w-"], hc.Neumann())


@pytest.mark.parametrize(("a", "b"), [(2.0, 3.0), (1.0, 0.25), (0.5, 0.0), (0.0, 2.0)])
def test_a_robin_condition_holds_at_the_side(a, b):
    low, high, inside = layers(lambda T: T.boundary("x-", hc.Robin(a, b, ARRAY)))
    for n in (0, 1):
        slope = (low[n] - inside[n]) / ((2 * n + 1) * 0.5)
        assert np.allclose(a * 0.5 * (low[n] + inside[n]) + b * slope, ARRAY)
    assert np.array_equal(high[0], -inside[-1])


def test_a_robin_condition_on_the_side_itself():
    grid = hc.Grid((4,), spacing=0.5)
    u, seen = grid.field("u", location="x_face"), grid.field("seen", components=2)
    u.set([1.0, 2.0, 3.0, 4.0, 5.0])
    u.boundary("x-", hc.Robin(2.0, 3.0, 7.0))
    u.boundary("x+", hc.Neumann(0.0))

    @hc.kernel
    def copy(u, seen):
        seen[0][0], seen[1][0] = u[0], u[-1]

    hc.Simulation(grid, [copy(u, seen)], target="numpy").run(1, progress=False)
    own, beyond = seen.gather()[:, 0]
    assert 2.0 * own + 3.0 * (own - 2.0) / 0.5 == pytest.approx(7.0)
    assert 2.0 * 0.5 * (beyond + 2.0) + 3.0 * (beyond - 2.0) / 1.0 == pytest.approx(7.0)


def test_a_field_without_the_axis_may_change():
    grid = hc.Grid((4, 3))
    T, seen, given = grid.field("T"), grid.field("seen"), grid.field("given", axes="y")
    given.set([1.0, 2.0, 3.0])
    T.boundary("x-", hc.Dirichlet(given))

    @hc.kernel
    def double(given):
        given[0] = 2.0 * given

    @hc.kernel
    def copy(T, seen):
        seen[0, 0] = T[-1, 0]

    on = hc.Box((0, 0), (1, 3))
    simulation = hc.Simulation(grid, [double(given), copy(T, seen, on=on)], target="numpy")
    simulation.run(2, progress=False)
    assert seen.gather()[0].tolist() == [8.0, 16.0, 24.0]


def test_each_component_has_values_of_its_own():
    grid = hc.Grid((4, 3))
    f, seen = grid.field("f", components=2), grid.field("seen", components=2)
    f.boundary("x-", hc.Dirichlet((np.array([1.0, 2.0, 3.0]), lambda y: 10.0 * y)))
    f.boundary("x+", hc.Dirichlet(np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])))

    @hc.kernel
    def copy(f, seen):
        for q in range(2):
            seen[q][0, 0] = f[q][-1, 0] + f[q][1, 0]

    hc.Simulation(grid, [copy(f, seen)], target="numpy").run(1, progress=False)
    found = 0.5 * seen.gather()
    assert found[:, 0].tolist() == [[1.0, 2.0, 3.0], [5.0, 15.0, 25.0]]
    assert found[:, -1].tolist() == [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]


def test_a_row_with_as_many_numbers_as_there_are_components_is_that_of_the_cells():
    grid = hc.Grid((4, 2))
    T, T_new = grid.field("T", components=2), grid.field("T_new", components=2)
    T.boundary("x-", hc.Dirichlet(np.array([1.0, 2.0])))

    @hc.kernel
    def shifted(T, T_new):
        for q in range(2):
            T_new[q][0, 0] = T[q][-1, 0]

    hc.Simulation(grid, [shifted(T, T_new)], target="numpy").run(1, progress=False)
    np.testing.assert_array_equal(T_new[...][:, 0], [[2.0, 4.0], [2.0, 4.0]])


def test_faces_have_values_at_their_places():
    grid = hc.Grid((4, 3), spacing=0.5)
    v, seen = grid.field("v", location="y_face"), grid.field("seen", location="y_face")
    v.boundary("x-", hc.Dirichlet(lambda y: y))
    v.boundary("x+", hc.Dirichlet(np.array([1.0, 2.0, 3.0, 4.0])))

    @hc.kernel
    def copy(v, seen):
        seen[0, 0] = v[-1, 0] + v[1, 0]

    hc.Simulation(grid, [copy(v, seen)], target="numpy").run(1, progress=False)
    assert (0.5 * seen.gather()[0]).tolist() == [0.0, 0.5, 1.0, 1.5]
    assert (0.5 * seen.gather()[-1]).tolist() == [1.0, 2.0, 3.0, 4.0]


@hc.kernel
def extrapolated(T):
    T[0, 0, 0] = 2.0 * T[1, 0, 0] - T[2, 0, 0]


@hc.kernel
def mirrored(T):
    T[0, 0, 0] = T[2 * hc.layer() - 1, 0, 0]


def test_a_kernel_fills_layer_after_layer_from_inside():
    low, _, inside = layers(lambda T: T.boundary("x-", extrapolated), reach=3)
    expected = 2.0 * inside[0] - inside[1]
    further = 2.0 * expected - inside[0]
    assert np.array_equal(low[0], expected)
    assert np.array_equal(low[1], further)
    assert np.array_equal(low[2], 2.0 * further - expected)


def test_a_kernel_knows_its_layer():
    low, _, inside = layers(lambda T: T.boundary("x-", mirrored), reach=3)
    assert np.array_equal(low, inside[:3])


MASK = np.zeros((5, 4), bool)
MASK[1:3, 1:] = True
WHERE = [
    hc.Box((0, 1, 1), (1, 3, 4)),
    MASK,
    lambda y, z: (y > 1.0) & (y < 3.0) & (z > 2.0),
]


@pytest.mark.parametrize("where", WHERE)
@pytest.mark.parametrize("is_first", [False, True])
def test_parts_of_a_side_have_their_own_conditions(where, is_first):
    def declare(T):
        if is_first:
            T.boundary("x-", hc.Dirichlet(3.0), where=where)
        T.boundary("x-", hc.Neumann(0.0))
        if not is_first:
            T.boundary("x-", hc.Dirichlet(3.0), where=where)

    low, _, inside = layers(declare)
    for n in (0, 1):
        assert np.array_equal(low[n], np.where(MASK, 6.0 - inside[n], inside[n]))


def test_the_part_declared_last_decides_and_kernels_may_fill_parts():
    def declare(T):
        T.boundary("x-", hc.Dirichlet(1.0), where=np.ones((5, 4), bool))
        T.boundary("x-", mirrored, where=MASK)

    low, _, inside = layers(declare)
    for n in (0, 1):
        assert np.array_equal(low[n], np.where(MASK, inside[n], 2.0 - inside[n]))


def test_a_part_may_change():
    grid = hc.Grid((4, 3))
    T, seen = grid.field("T"), grid.field("seen")
    is_open = grid.field("is_open", axes="y", dtype="uint8")
    is_open.set([0, 1, 0])
    T.boundary("x-", hc.Dirichlet(0.5))
    T.boundary("x-", hc.Dirichlet(1.5), where=is_open)

    @hc.kernel
    def copy(T, seen):
        seen[0, 0] = T[-1, 0]

    on = hc.Box((0, 0), (1, 3))
    simulation = hc.Simulation(grid, [copy(T, seen, on=on)], target="numpy")
    simulation.run(1, progress=False)
    assert seen.gather()[0].tolist() == [1.0, 3.0, 1.0]
    is_open.set([1, 0, 0])
    simulation.run(1, progress=False)
    assert seen.gather()[0].tolist() == [3.0, 1.0, 1.0]


def test_parts_of_what_lies_on_the_side_itself():
    grid = hc.Grid((4, 3))
    u, seen = grid.field("u", location="x_face"), grid.field("seen")
    u.set(5.0)
    u.boundary("x-", hc.Dirichlet(0.0))
    u.boundary("x-", hc.Dirichlet(1.0), where=np.array([False, True, False]))

    @hc.kernel
    def copy(u, seen):
        seen[0, 0] = u[0, 0]

    hc.Simulation(grid, [copy(u, seen)], target="numpy").run(1, progress=False)
    assert seen.gather()[0].tolist() == [0.0, 1.0, 0.0]


def test_a_part_that_leaves_cells_out_is_refused_where_they_are_read():
    grid = hc.Grid((4, 3))
    T, out = grid.field("T"), grid.field("out")
    T.boundary("x-", hc.Dirichlet(1.0), where=np.array([True, False, False]))

    @hc.kernel
    def read(T, out):
        out[0, 0] = T[-1, 0]

    assert told(GridError, lambda: hc.Simulation(grid, [read(T, out)]).plan) == (
        "The boundary of 'T' on side 'x-' is given on parts of it; the cell y = 1 is in none that "
        "is known before the run. Write T.boundary('x-', …) without 'where' for the rest."
    )


@pytest.mark.parametrize(
    ("condition", "where", "message"),
    [
        (
            hc.Dirichlet(np.ones(4)),
            None,
            "The boundary of 'T' on side 'x-' was given values of shape (4,); expected (3,).",
        ),
        (
            hc.Dirichlet(lambda y, q: y + q),
            None,
            "The boundary of 'T' on side 'x-' was given a function of y, q; expected some of x, y, "
            "t. Other numbers are parameters, or variables of the function that it is made in.",
        ),
        (
            hc.Robin(1.0, -1.0, 0.0),
            None,
            "The boundary of 'T' on side 'x-' was given 1.0 * u + -1.0 * du/dn = c; expected "
            "factors of one sign, not both 0. With others the layer may have no value.",
        ),
        (
            hc.Robin("a", 1.0, 0.0),
            None,
            "The boundary of 'T' on side 'x-' was given the factor 'a'; expected numbers a and b "
            "of a * u + b * du/dn = c.",
        ),
        (
            hc.Dirichlet(1.0),
            np.ones(5, bool),
            "The boundary of 'T' on side 'x-' was given for an array of bool with the shape (5,); "
            "expected an hc.Box of 2 axes within the side along y, truth values of shape "
            "(3,), a function of y that returns such, or a field without the axis x.",
        ),
    ],
)
def test_conditions_that_do_not_fit(condition, where, message):
    T = hc.Grid((4, 3)).field("T")
    assert told(GridError, lambda: T.boundary("x-", condition, where=where)) == message


def test_a_field_with_the_axis_across_the_side_is_refused():
    grid = hc.Grid((4, 3))
    T, other = grid.field("T"), grid.field("other")
    assert told(GridError, lambda: T.boundary("x-", hc.Dirichlet(other))) == (
        "The boundary of 'T' on side 'x-' was given 'other', a field on 'xy' of 4x3 cells; "
        "expected one on 'y' of 3 cells."
    )
    function = hc.Dirichlet(lambda y: other[0, 0] * y)
    assert told(GridError, lambda: T.boundary("x-", function)) == (
        "The function given as boundary of 'T' on side 'x-' reads the field 'other'; expected a "
        "function of place and time. Give a field without the axis across the side, or a kernel "
        "that runs on it."
    )


def test_a_function_may_use_parameters():
    grid = hc.Grid((4, 3))
    T, seen, p = grid.field("T"), grid.field("seen"), hc.Parameter(2.0, "p")
    T.boundary("x-", hc.Dirichlet(lambda y, t: p * y + t))

    @hc.kernel
    def copy(T, seen):
        seen[0, 0] = T[-1, 0]

    on = hc.Box((0, 0), (1, 3))
    simulation = hc.Simulation(grid, [copy(T, seen, on=on)], dt=0.5, target="numpy")
    simulation.run(1, progress=False)
    p.value = 4.0
    simulation.run(1, progress=False)
    assert (0.5 * seen.gather()[0]).tolist() == [2.5, 6.5, 10.5]
