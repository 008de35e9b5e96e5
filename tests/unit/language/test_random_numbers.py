"""Random numbers by counter: Philox, its layout, which draws differ, and that they look random."""

from __future__ import annotations

import math

import numpy as np
import pytest
from errors.telling import told

import halocline as hc
from halocline.errors import KernelError
from halocline.language.expressions.random_numbers import philox

TARGETS = ({}, {"target": "numpy"}, {"device": "emulated:5"})
# Random123, tests/kat_vectors: counter, key and result of 'philox4x32 10'.
KNOWN_ANSWERS = (
    (
        (0, 0, 0, 0),
        (0, 0),
        (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8),
    ),
    (
        (0xFFFFFFFF,) * 4,
        (0xFFFFFFFF,) * 2,
        (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD),
    ),
    (
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
        (0xA4093822, 0x299F31D0),
        (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
    ),
)


def plain_philox(counter, key):
    """Philox4x32-10 in whole numbers of Python."""
    a, b, c, d = counter
    first, second = key
    for _ in range(10):
        low, high = a * 0xD2511F53, c * 0xCD9E8D57
        a, b, c, d = high >> 32 ^ b ^ first, high % 2**32, low >> 32 ^ d ^ second, low % 2**32
        first, second = (first + 0x9E3779B9) % 2**32, (second + 0xBB67AE85) % 2**32
    return a, b, c, d


@pytest.mark.parametrize(("counter", "key", "answer"), KNOWN_ANSWERS)
@pytest.mark.parametrize("target", TARGETS, ids=("c++", "numpy", "emulated"))
def test_philox_gives_the_published_answers(counter, key, answer, target):
    grid = hc.Grid((3,))
    given = grid.field("given", dtype="uint32", components=6)
    out = grid.field("out", dtype="uint32", components=4)
    given.set(np.repeat(np.array([*counter, *key], "uint32")[:, None], 3, axis=1))

    @hc.kernel
    def turn(given, out):
        words = [given[q][0] for q in range(6)]
        for q, word in enumerate(philox(words[:4], words[4:])):
            out[q] = word

    hc.Simulation(grid, [turn(given, out)], threads=1, **target).run(1, progress=False)
    assert tuple(map(int, out.gather()[:, 1])) == answer == plain_philox(counter, key)


def drawn(body, *, extent=(6, 5), steps=1, periodic=True, dtype="float64", fields=1, **options):
    """Return what a kernel draws in each cell, in fields if there are several."""
    grid = hc.Grid(extent, periodic=(periodic,) * len(extent))
    out = [grid.field("abcd"[n], dtype=dtype) for n in range(fields)]
    call = [hc.kernel(body)(out[0])] if fields == 1 else body(*out)
    hc.Simulation(grid, call, **{"threads": 1, **options}).run(steps, progress=False)
    return out[0].gather() if fields == 1 else [each.gather() for each in out]


def expected_fraction(seed, step, stream, cell):
    """Return what hc.random gives, as docs/decisions/0034 says."""
    key = plain_philox((step % 2**32, step >> 32, 0, 0), (seed % 2**32, seed >> 32))[:2]
    cell = (*cell, 0, 0)[:3]
    words = plain_philox((*cell, stream // 2), key)[2 * (stream % 2) :]
    return ((words[0] >> 5) * 2**26 + (words[1] >> 6)) / 2**53


@pytest.mark.parametrize("seed", [0, 42, 2**64 - 1])
@pytest.mark.parametrize("stream", [0, 1, 7])
def test_numbers_follow_from_seed_step_cell_and_stream(seed, stream):
    def body(a):
        a[0, 0] = hc.random(seed=seed, stream=stream)

    for steps in (1, 3):
        found = drawn(body, steps=steps)
        for cell in ((0, 0), (5, 4), (2, 3)):
            assert found[cell] == expected_fraction(seed, steps - 1, stream, cell)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_seed_may_change_between_steps(dtype):
    grid = hc.Grid((4, 3))
    a, b = grid.field("a"), grid.field("b")
    number = hc.Parameter(5, "number")

    @hc.kernel
    def fixed(b):
        b[0, 0] = hc.random(seed=6, stream=0, dtype=dtype)

    @hc.kernel
    def given(a, *, seed):
        a[0, 0] = hc.random(seed=seed, stream=0, dtype=dtype)

    simulation = hc.Simulation(grid, [given(a, seed=number), fixed(b)], threads=1)
    simulation.run(1, progress=False)
    assert (a.gather() != b.gather()).all()
    number.value = 6
    simulation.run(1, progress=False)
    assert (a.gather() == b.gather()).all()


@hc.kernel
def noise(a):
    a[0, 0] = hc.random(seed=1)


@hc.kernel
def other_noise(a):
    a[0, 0] = hc.random(seed=1)


@hc.kernel
def add(a, b):
    b[0, 0] = b[0, 0] + a[0, 0]


def test_draws_of_other_fields_kernels_and_calls_differ():
    fields = drawn(
        lambda a, b, c, d: [noise(a), add(a, b), noise(a), other_noise(c), noise(d)], fields=4
    )
    a, b, c, d = fields  # the first draws of 'a' are in 'b'
    for first, second in ((a, b), (a, c), (a, d), (b, c), (b, d), (c, d)):
        assert (first != second).all()


def test_draws_of_a_kernel_differ_by_order():
    def body(a, b):
        a[0, 0] = hc.random() - hc.random()
        b[0, 0] = hc.normal() - hc.normal()

    for found in drawn(lambda a, b: [hc.kernel(body)(a, b)], fields=2):
        assert (found != 0.0).all()


def test_draws_of_a_kernel_are_the_same_in_every_process():
    def body(a):
        a[0, 0] = hc.random_bits(seed=5)

    assert drawn(body, dtype="uint32")[2, 3] == 1411139121


def test_a_stream_gives_the_same_numbers_everywhere():
    @hc.kernel
    def first(a):
        a[0, 0] = hc.random(seed=4, stream=2)

    @hc.kernel
    def second(a):
        a[0, 0] = hc.random(seed=4, stream=2)

    a, b = drawn(lambda a, b: [first(a), second(b)], fields=2)
    assert (a == b).all()


@pytest.mark.parametrize("stream", [None, 3])
def test_passes_of_loops_draw_other_numbers(stream):
    grid = hc.Grid((5, 4))
    found, now = grid.field("found", components=6), grid.field("now")

    @hc.kernel
    def draw(now):
        now[0, 0] = hc.random(seed=2, stream=stream)

    @hc.kernel
    def push(now, found):
        for q in range(5):
            found[q] = found[q + 1]
        found[5] = now[0, 0]

    nested = hc.repeat(2, draw(now), push(now, found), hc.repeat(2, draw(now), push(now, found)))
    hc.Simulation(grid, [nested], threads=1).run(1, progress=False)
    values = found.gather()
    different = [(a != b).all() for n, a in enumerate(values) for b in values[:n]]
    # Of a stream the first passes of the inner loop draw what the outer has drawn.
    assert sum(different) == (15 if stream is None else 13)


def test_passes_of_until_draw_other_numbers_and_those_of_loops_within():
    grid = hc.Grid((5, 4))
    found, now = grid.field("found", components=8), grid.field("now")
    outer, inner = hc.Parameter(0.0, "outer"), hc.Parameter(0.0, "inner")

    @hc.kernel
    def draw(now, found):
        now[0, 0] = hc.random(seed=2)
        for q in range(7):
            found[q] = found[q + 1]
        found[7] = hc.random(seed=3)

    within = hc.until(inner >= 2, draw(now, found), hc.assign(inner, inner + 1))
    draws = [hc.assign(inner, 0.0), within, hc.assign(outer, outer + 1), draw(now, found)]
    steps = [hc.until(outer >= 2, *draws), draw(now, found)]
    hc.Simulation(grid, steps, threads=1).run(1, progress=False)
    values = found.gather()[1:]  # seven calls
    assert all((a != b).all() for n, a in enumerate(values) for b in values[:n])


def test_a_plan_of_passes_that_draw_is_as_long_for_many_as_for_few():
    @hc.kernel
    def draw(a):
        a[0] = a + hc.random(seed=2)

    def text(count):
        grid = hc.Grid(8)
        a = grid.field("a")
        simulation = hc.Simulation(grid, [hc.repeat(count, draw(a))], threads=1)
        simulation.run(1, progress=False)
        return str(simulation.plan), a[...]

    (few, once), (many, often) = text(2), text(1000)
    assert len(many.splitlines()) == len(few.splitlines())
    assert abs(often.mean() - 500) < 15
    assert (often > once).all()


def test_a_neighbours_number_is_that_of_the_neighbour_across_periodic_sides():
    def body(a, b):
        draw = hc.random(seed=9)
        a[0, 0] = draw
        b[0, 0] = draw[1, -1]

    for options in ({}, {"blocks": 3}, {"target": "numpy"}):
        a, b = drawn(lambda a, b: [hc.kernel(body)(a, b)], fields=2, **options)
        assert (b == np.roll(a, (-1, 1), (0, 1))).all()


def test_surfaces_and_coarse_grids_count_their_own_cells():
    grid = hc.Grid((4, 4, 2))
    coarse = grid.coarsen(2)
    surface, cells = grid.field("surface", axes="xy"), coarse.field("cells")

    @hc.kernel
    def on_surface(surface):
        surface[0, 0] = hc.random(seed=3, stream=0)

    @hc.kernel
    def on_coarse(cells):
        cells[0, 0, 0] = hc.random(seed=3, stream=0)

    steps = [on_surface(surface), on_coarse(cells)]
    hc.Simulation(grid, steps, threads=1).run(1, progress=False)
    assert surface.gather()[3, 2] == expected_fraction(3, 0, 0, (3, 2))
    assert cells.gather()[1, 1, 0] == expected_fraction(3, 0, 0, (1, 1))


def test_a_fine_grid_beside_a_coarse_one_counts_its_own_cells():
    grid = hc.Grid((8,))
    coarse = grid.coarsen(2)
    fine, low = grid.field("fine"), coarse.field("low")

    @hc.kernel
    def both(low, fine):
        fine[0] = hc.random(seed=3, stream=0) + low[0]

    hc.Simulation(grid, [both(low, fine)], threads=1).run(1, progress=False)
    assert [fine.gather()[n] for n in range(8)] == [
        expected_fraction(3, 0, 0, (n,)) for n in range(8)
    ]


@pytest.mark.parametrize("dtype", ["int8", "uint8", "uint16", "int32", "uint32", "int64", "uint64"])
@pytest.mark.parametrize("target", TARGETS, ids=("c++", "numpy", "emulated"))
def test_bits_are_those_of_the_counter(dtype, target):
    def body(a):
        a[0, 0] = hc.random_bits(seed=5, stream=1, dtype=dtype)

    found = drawn(body, dtype=dtype, **target)
    key = plain_philox((0, 0, 0, 0), (5, 0))[:2]
    low, high = plain_philox((2, 3, 0, 0), key)[2:]
    assert found[2, 3] == np.array(high << 32 | low, "uint64").astype(dtype)


def statistics(body, dtype="float64"):
    return drawn(body, extent=(256, 128, 4), dtype=dtype).astype("float64")


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_uniform_numbers_look_random(dtype):
    def body(a):
        a[0, 0, 0] = hc.random(seed=11, dtype=dtype)

    found = statistics(body, dtype)
    n = found.size
    assert 0.0 <= found.min() < 1e-4
    assert 1.0 - 1e-4 < found.max() < 1.0
    assert abs(found.mean() - 0.5) < 4.0 / math.sqrt(12 * n)
    assert abs(found.var() - 1 / 12) < 4.0 / math.sqrt(180 * n)
    counts = np.bincount((found.ravel() * 100).astype(int), minlength=100)
    chi_square = ((counts - n / 100) ** 2 / (n / 100)).sum()
    assert 99 - 4 * math.sqrt(198) < chi_square < 99 + 4 * math.sqrt(198)
    centred = (found - found.mean()) / found.std()
    for axis in range(3):
        assert abs((centred * np.roll(centred, 1, axis)).mean()) < 4.0 / math.sqrt(n)


def test_numbers_of_neighbouring_steps_seeds_and_draws_are_uncorrelated():
    def draw(seed, number):
        def body(a):
            draws = [hc.random(seed=seed, dtype="float32") for _ in range(3)]
            a[0, 0, 0] = draws[number]

        return body

    bodies = (draw(0, 0), draw(1, 0), draw(0, 1), draw(0, 2))
    found = [statistics(body) for body in bodies]
    found += [drawn(bodies[0], extent=(256, 128, 4), steps=2)]
    for n, first in enumerate(found):
        for second in found[:n]:
            correlation = np.corrcoef(first.ravel(), second.ravel())[0, 1]
            assert abs(correlation) < 4.0 / math.sqrt(first.size)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("second", [False, True])
def test_normal_numbers_look_normal(dtype, second):
    def body(a):
        draws = [hc.normal(seed=13, dtype=dtype) for _ in range(2)]
        a[0, 0, 0] = draws[second]

    found = np.sort(statistics(body, dtype).ravel())
    n = found.size
    assert abs(found.mean()) < 4.0 / math.sqrt(n)
    assert abs(found.var() - 1.0) < 4.0 * math.sqrt(2 / n)
    assert abs((found**3).mean()) < 4.0 * math.sqrt(15 / n)
    assert abs((found**4).mean() - 3.0) < 4.0 * math.sqrt(96 / n)
    # Kolmogorov and Smirnov: the distance of the distributions, at 1 of 1000.
    exact = np.array([0.5 * math.erfc(-x / math.sqrt(2)) for x in found[::16]])
    distance = np.abs(exact - np.arange(0, n, 16) / n).max()
    assert distance < 1.95 / math.sqrt(n)


def test_a_parameter_is_a_seed():
    seed = hc.Parameter(42)

    def body(a):
        a[0, 0] = hc.random(seed=seed, stream=0)

    assert drawn(body)[2, 3] == expected_fraction(42, 0, 0, (2, 3))


def told_by(**options):
    def body(a):
        a[0, 0] = hc.random(**options)

    return told(KernelError, lambda: drawn(body))


def test_what_is_no_seed_no_stream_and_no_type():
    assert told_by(seed=0.5) == (
        "The seed of 'hc.random' was given 0.5; expected a whole number of at least 0 and at most "
        "1.84467e+19."
    )
    assert told_by(seed=-1).startswith("The seed of 'hc.random' was given -1; expected a whole")
    assert told_by(stream=1.5).startswith("The stream of 'hc.random' was given 1.5; expected a")
    assert told_by(dtype="float16") == (
        "'hc.random' was asked for numbers of 'float16'; expected one of float64, float32. Did you "
        "mean 'float64'?"
    )


def test_a_seed_that_differs_from_cell_to_cell():
    def body(a):
        a[0, 0] = hc.random(seed=hc.index("x"))

    assert told(KernelError, lambda: drawn(body)) == (
        "The seed of 'hc.random' differs from cell to cell; expected a whole number or a keyword "
        "of the kernel."
    )


def test_a_stream_that_is_known_at_run_time_only():
    def body(a, *, stream=1.0):
        a[0, 0] = hc.random(stream=stream)

    assert told(KernelError, lambda: drawn(body)) == (
        "The stream of 'hc.random' is known only at run time; expected a whole number. A seed may "
        "be a keyword that is read at run time."
    )


@pytest.mark.parametrize("draw", [hc.random, hc.normal, hc.random_bits])
def test_a_draw_outside_of_a_kernel(draw):
    assert told(KernelError, draw) == (
        f"'hc.{draw.__name__}' was called outside of a kernel. It is a number of a cell: assign it "
        "in a function under @hc.kernel."
    )
