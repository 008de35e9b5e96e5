"""Complex fields: values of NumPy's complex arrays, on any ranks, kept, and refused where real."""

from __future__ import annotations

import numpy as np
import pytest
from errors.telling import told, traced
from many_ranks import virtual

import halocline as hc
from halocline.errors import GridError, KernelError
from halocline.io.checkpoint import load, save

EXTENT = (9, 7)


def grid(**options):
    return hc.Grid(EXTENT, **{"periodic": True, "spacing": 0.5, **options})


def numbers(seed, *extent, dtype="complex128"):
    random = np.random.default_rng(seed)
    extent = extent or EXTENT
    return (random.normal(size=extent) + 1j * random.normal(size=extent)).astype(dtype)


def computed(function, *arrays, dtype="complex128", **scalars):
    """Return what a kernel makes of complex arrays."""
    on = grid()
    fields = [on.field(name, dtype=dtype) for name in ("a", "b")]
    found = on.field("found", dtype=dtype)
    for field, array in zip(fields, arrays):
        field.set(array)
    hc.Simulation(on, [hc.kernel(function)(*fields, found, **scalars)], threads=1).run(1)
    return found.gather()


def arithmetic(a, b, found):
    found[0, 0] = (
        (a * b - a / b) * (2 - 1j)
        + 3 / b
        + a / (1 + 2j)
        - (1j - b) / 2
        + a**3
        + b**-2
        - -a
        + a.real * b
        + 1j * b.imag
        + abs(a) * b.conj()
        + hc.exp(a) * np.exp(1j * b.real)
        + np.conj(a)
        + np.square(b)
        + np.float64(0.1) * a
        + np.complex128(1 - 1j) * b.real
    )


def the_same(a, b):
    return (
        (a * b - a / b) * (2 - 1j)
        + 3 / b
        + a / (1 + 2j)
        - (1j - b) / 2
        + a**3
        + 1 / (b * b)
        + a
        + a.real * b
        + 1j * b.imag
        + abs(a) * b.conj()
        + np.exp(a) * np.exp(1j * b.real)
        + a.conj()
        + b * b
        + 0.1 * a
        + (1 - 1j) * b.real
    )


def test_arithmetic_is_that_of_numpy():
    a, b = numbers(1), numbers(2)
    found = computed(arithmetic, a, b)
    assert found.dtype == "complex128"
    assert np.allclose(found, the_same(a, b), rtol=1e-13)


def test_the_exponential_of_a_plain_complex_number_is_that_of_numpy():
    assert hc.exp(0.5j) == np.exp(0.5j)


def test_single_precision_stays_single():
    a, b = numbers(1, dtype="complex64"), numbers(2, dtype="complex64")

    def product(a, b, found, *, w):
        found[0, 0] = 1j * a * b + w * a.conj() / (1 + 2j)

    found = computed(product, a, b, dtype="complex64", w=0.5)
    assert found.dtype == "complex64"
    assert np.allclose(found, 1j * a * b + 0.5 * a.conj() / (1 + 2j), rtol=1e-5)


def test_products_of_fields_have_the_bits_of_their_definition():
    a, b = numbers(3), numbers(4)

    def product(a, b, found):
        found[0, 0] = a * b

    found = computed(product, a, b)
    assert np.array_equal(found.real, a.real * b.real - a.imag * b.imag)
    assert np.array_equal(found.imag, a.real * b.imag + a.imag * b.real)


def test_quotients_do_not_overflow_on_the_way():
    a, b = 1e200 * numbers(5), 1e200 * numbers(6)

    def quotient(a, b, found):
        found[0, 0] = a / b

    assert np.allclose(computed(quotient, a, b), a / b, rtol=1e-14)


def test_neighbours_derivatives_stencils_and_choices():
    a, b = numbers(7), numbers(8)
    cross = hc.stencil({(1, 0): 1, (0, -1): -2.0})

    def made(a, b, found):
        found[0, 0] = hc.d(a, "x") + hc.laplacian(a * b)[1, 0] + cross(b) + hc.at(a, y=-1)
        found[0, 0] = found + hc.where(abs(a) < 1, b, 2j) + hc.where(a == b, 1, 0)

    def laplacian(u):
        return sum(np.roll(u, way, axis) for way in (1, -1) for axis in (0, 1)) * 4 - 16 * u

    expected = (
        (np.roll(a, -1, 0) - np.roll(a, 1, 0))
        + np.roll(laplacian(a * b), -1, 0)
        + (np.roll(b, -1, 0) - 2 * np.roll(b, 1, 1))
        + np.roll(a, 1, 1)
        + np.where(abs(a) < 1, b, 2j)
    )
    assert np.allclose(computed(made, a, b), expected, rtol=1e-12)


def test_both_parts_are_read_before_one_is_assigned():
    on = grid()
    psi = on.field("psi", dtype="complex128")
    first = numbers(9)
    psi.set(first)

    @hc.kernel
    def turn(psi):
        psi[0, 0] = 1j * psi.conj()

    hc.Simulation(on, [turn(psi)], threads=1).run(1)
    assert np.array_equal(psi.gather(), 1j * first.conj())


def test_components_are_complex():
    on = grid()
    field = on.field("field", dtype=complex, components=3)
    first = numbers(10, 3, *EXTENT)
    field.set(first)

    @hc.kernel
    def mix(field):
        zero, _, two = field
        field[0] = 1j * zero
        field[2][0, 0] = two + field[0] + len(field)

    simulation = hc.Simulation(on, [mix(field)], threads=1)
    simulation.run(1)
    expected = np.stack([1j * first[0], first[1], first[2] + 1j * first[0] + 3])
    assert np.array_equal(field.gather(), expected)
    assert np.array_equal(field[1:, 2], expected[1:, 2])
    assert np.array_equal(field[..., 3], expected[..., 3])
    assert field.to_xarray().dims == ("component", "x", "y")
    assert repr(field) == "Field('field', complex128, components=3)"
    found = simulation.reduce(hc.sum(abs(field[1])))
    assert found == pytest.approx(abs(expected[1]).sum())


@pytest.mark.parametrize(
    "given",
    [
        3 - 1j,
        2.0,
        numbers(11),
        numbers(11).real,
        numbers(12, 1, 7),
        lambda x, y: np.exp(1j * x) * y,
        lambda x, y: x + 0 * y,
    ],
    ids=["number", "real", "array", "real array", "one entry", "function", "real function"],
)
def test_values_are_set_as_those_of_arrays(given):
    on = grid()
    field = on.field("field", dtype="complex128")
    field.set(given)
    hc.Simulation(on, [hc.kernel(lambda u: u.__setitem__((0, 0), u))(field)], threads=1).run(0)
    x, y = on.coordinates("center", on.domain)
    expected = given(x, y) if callable(given) else given
    assert np.array_equal(field.gather(), np.broadcast_to(expected, EXTENT))
    assert np.array_equal(field[:, 2], np.broadcast_to(expected, EXTENT)[:, 2])
    assert field.to_xarray().dtype == "complex128"


def test_arrays_that_name_their_dimensions_are_taken_by_the_names():
    xarray = pytest.importorskip("xarray")
    field = grid().field("field", dtype="complex128")
    values = numbers(13)
    field.set(xarray.DataArray(values.T, dims=("y", "x")))
    hc.Simulation(field.grid, [hc.kernel(lambda u: u.__setitem__((0, 0), u))(field)]).run(0)
    assert np.array_equal(field.gather(), values)


def test_sides_prescribe_complex_values():
    on = grid(periodic=False)
    u, out = on.field("u", dtype="complex128"), on.field("out", dtype="complex128")
    values = numbers(14)
    u.set(values)
    u.boundary("x-", hc.Dirichlet(1 + 2j))
    u.boundary("x+", hc.Neumann(0.5j))
    u.boundary("y-", hc.Dirichlet(1j * np.arange(9)))
    u.boundary("y+", hc.Dirichlet(lambda x, t: hc.exp(1j * x) + t))

    @hc.kernel
    def around(u, out):
        out[0, 0] = u[1, 0] + 2 * u[-1, 0] + 4 * u[0, 1] + 8 * u[0, -1]

    hc.Simulation(on, [around(u, out)], threads=1).run(1)
    x = 0.5 * (np.arange(9) + 0.5)
    padded = np.pad(values, 1)
    padded[0, 1:-1] = 2 * (1 + 2j) - values[0]
    padded[-1, 1:-1] = values[-1] + 0.5 * 0.5j
    padded[1:-1, 0] = 2j * np.arange(9) - values[:, 0]
    padded[1:-1, -1] = 2 * np.exp(1j * x) - values[:, -1]
    expected = (
        padded[2:, 1:-1] + 2 * padded[:-2, 1:-1] + 4 * padded[1:-1, 2:] + 8 * padded[1:-1, :-2]
    )
    assert np.allclose(out.gather(), expected, rtol=1e-13)


def wave(**options):
    """Return a simulation of a nonlinear wave, and its field."""
    on = hc.Grid((17, 12), periodic=True)
    psi, new = on.field("psi", dtype="complex128"), on.field("new", dtype="complex128")

    @hc.kernel
    def advance(psi, new, *, dt):
        new[0, 0] = psi + 1j * dt * hc.laplacian(psi) / (1 + abs(psi) ** 2)

    psi.set(lambda x, y: np.exp(1j * x) * y)
    steps = [advance(psi, new, dt=0.01), hc.swap(psi, new)]
    return hc.Simulation(on, steps, threads=1, **options), psi


def bits_of_a_wave():
    """Return the bits of the wave after some steps, and a sum of it."""
    simulation, psi = wave()
    simulation.run(5)
    content = simulation.reduce(hc.sum(abs(psi) ** 2))
    found = psi.gather()
    return None if found is None else [found.tobytes().hex(), content]


@pytest.mark.parametrize("ranks", [virtual(2), virtual(3), virtual(4)], ids=str)
def test_any_number_of_ranks_gives_the_same_bits(ranks):
    assert ranks(bits_of_a_wave) == virtual(1)(bits_of_a_wave)


def test_a_device_gives_the_same_bits():
    (host, psi), (device, there) = wave(), wave(device="emulated:7")
    host.run(3)
    device.run(3)
    assert np.array_equal(there.gather(), psi.gather())


def test_a_restart_goes_on_with_the_same_bits(tmp_path):
    (first, psi), (second, again) = wave(), wave()
    first.run(3)
    save(first, tmp_path / "kept.npz")
    first.run(3)
    load(second, tmp_path / "kept.npz")
    second.run(3)
    assert np.array_equal(again.gather(), psi.gather())


def test_a_forest_has_complex_values_on_all_levels():
    forest = hc.Forest(
        (16, 16), block=8, finest=1, refine=lambda x, y: np.where(x + y < 10, 1, 0), periodic=True
    )
    psi, out = (forest.field(name, dtype="complex128") for name in ("psi", "out"))

    @hc.kernel
    def twist(psi, out):
        out[0, 0] = (1 + 2j) * psi[1, 0]

    simulation = hc.Simulation(forest, [twist(psi, out)], threads=1)
    psi.set(3 - 1j)
    simulation.run(1)
    assert np.all(out.resampled().values == (1 + 2j) * (3 - 1j))
    assert told(KernelError, lambda: hc.sum(psi)) == (
        "'hc.sum' was given complex values of a forest; expected real ones. Let a kernel compute "
        "them: density[...] = abs(psi)**2."
    )


PLAIN = "A function of plain numbers, or a choice by 'if', was applied to"
HINT = (
    "a complex value; expected a real one. Write its .real, .imag or abs(…). Complex values are "
    "added, multiplied, divided, compared by '==', chosen by hc.where, differentiated, and have "
    "whole powers, .conj() and hc.exp."
)


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (lambda u: u < 1, "'<' was applied to"),
        (lambda u: u % 2, "'%' was applied to"),
        (hc.sqrt, "'hc.sqrt' was applied to"),
        (np.sin, "'np.sin' was applied to"),
        (lambda u: hc.maximum(u, 1), "'hc.maximum' was applied to"),
        (lambda u: u << 1, "'<<' was applied to"),
        (lambda u: ~u, "'~' was applied to"),
        (lambda u: u**0.5, "The power 0.5 was taken of"),
        (lambda u: 2**u, "2 was taken to the power of"),
        (lambda u: hc.where(u, 1, 2), "'hc.where' was given as its condition"),
        (lambda u: 1 if u else 2, PLAIN),
        (float, PLAIN),
        (np.asarray, "A NumPy array was to be made of"),
        (lambda u: u.astype("float32"), "'astype('float32')' was applied to"),
    ],
)
def test_what_complex_values_do_not_have_is_refused(made, message):
    on = grid()

    def wrong(u, out):
        out[0, 0] = made(u)

    fields = [on.field(name, dtype="complex128") for name in ("u", "out")]
    assert traced(wrong, *fields) == f"{message} {HINT}"


def test_complex_values_where_real_ones_must_be():
    on = grid()
    psi, real = on.field("psi", dtype="complex128"), on.field("real")

    def assign(psi, real):
        real[0, 0] = psi

    assert traced(assign, psi, real) == f"There is {HINT}"
    assert told(KernelError, lambda: hc.sum(psi)) == f"'hc.sum' was given {HINT}"
    assert told(KernelError, lambda: hc.max(1 + psi)) == f"'hc.max' was given {HINT}"
    assert "type complex128; expected numbers" in told(GridError, lambda: real.set(numbers(1)))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (np.ones((3, 3)) * 1j, "given values of shape (2, 3, 3); expected (2, 9, 7)"),
        ("text", "set to values of type <U4; expected numbers"),
        (lambda x: 1j * x, "set to a function of 1 arguments; expected one of 2"),
        (np.ma.masked_equal(np.eye(9, 7) * 1j, 0), "of its values masked; expected a value in"),
    ],
)
def test_values_that_do_not_fit(given, message):
    field = grid().field("field", dtype="complex128")
    assert message in told(GridError, lambda: field.set(given))
