"""Operations on integers of all types give what plain NumPy gives, in C++ and on devices."""

from __future__ import annotations

import operator
import random

import numpy as np
import pytest

import halocline as hc

INTEGERS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
FLOATS = ("float32", "float64")
CELLS = 200
TARGETS = {"c++": {}, "numpy": {"target": "numpy"}, "emulated": {"device": "emulated:3"}}
OPERATIONS = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "%": operator.mod,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": operator.lshift,
    ">>": operator.rshift,
    "<": operator.lt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "/": operator.truediv,
    "min": np.minimum,
    "max": np.maximum,
}


def values(dtype, seed):
    """Return numbers of a type, those at its ends and small ones more often."""
    rng = np.random.default_rng(seed)
    limits = np.iinfo(dtype)
    ends = [limits.min, limits.min + 1, 0, 1, 2, 3, 7, 8, 31, 64, 100, limits.max - 1, limits.max]
    small = rng.integers(max(-9, limits.min), 10, CELLS // 2, dtype)
    any_of_all = rng.integers(limits.min, limits.max, CELLS, dtype, endpoint=True)
    found = np.concatenate([np.array(ends, dtype), small, any_of_all])
    return rng.permutation(found)[:CELLS]


def computed(function, given, target):
    """Return what a kernel makes of fields, one array for each value that the function returns."""
    return computed_each([(function, given)], target)[0]


def computed_each(problems, target):
    """Return what several kernels of one program make of fields, and what NumPy makes of them."""
    grid = hc.Grid((CELLS,))
    steps, results = [], []
    for number, (function, given) in enumerate(problems):
        fields = [grid.field(f"f{number}_{n}", dtype=a.dtype) for n, a in enumerate(given)]
        for field, array in zip(fields, given, strict=True):
            field.set(array)
        with np.errstate(all="ignore"):
            expected = function(*given)
        outs = [grid.field(f"out{number}_{n}", dtype=a.dtype) for n, a in enumerate(expected)]
        steps.append(_kernel(function, len(fields), len(outs))(*fields, *outs))
        results.append((outs, expected))
    hc.Simulation(grid, steps, threads=1, check_every=0, **target).run(1, progress=False)
    return [([out.gather() for out in outs], expected) for outs, expected in results]


def _kernel(function, read, assigned):
    """Return a kernel of as many fields that assigns what a function returns."""

    def body(*symbols):
        found = function(*(symbol[0] for symbol in symbols[:read]))
        for out, value in zip(symbols[read:], found, strict=True):
            out[0] = value

    names = ", ".join(f"f{n}" for n in range(read + assigned))
    scope = {"body": body}
    exec(f"def kernel({names}):\n    body({names})\n", scope)
    return hc.kernel(scope["kernel"])


def assert_same(found, expected, what):
    for name, mine, numpys in zip(what, found, expected, strict=True):
        assert mine.dtype == numpys.dtype, name
        assert bits(mine) == bits(numpys), (name, mine, numpys)


def bits(array):
    # The sign of what is no number is nobody's promise.
    return (
        np.where(np.isnan(array), np.nan, array) if array.dtype.kind == "f" else array
    ).tobytes()


def operations_of(first, second):
    """Return the operations that NumPy has for two types."""
    found = {}
    for sign, operation in OPERATIONS.items():
        try:
            operation(np.ones(1, first), np.ones(1, second))
        except TypeError:
            continue
        found[sign] = operation
    return found


@pytest.mark.parametrize("further", range(len(INTEGERS)))
def test_operations_of_pairs_of_types_are_those_of_numpy(further):
    """Each type on either side, with the one that many further in the list."""
    pairs = [(a, INTEGERS[(n + further) % len(INTEGERS)]) for n, a in enumerate(INTEGERS)]

    def problem(first, second):
        known = operations_of(first, second)
        given = [values(first, 1), values(second, 2)]
        return known, (lambda a, b: [operation(a, b) for operation in known.values()], given)

    operations, problems = zip(*(problem(*pair) for pair in pairs), strict=True)
    for target in TARGETS.values():
        for pair, known, each in zip(
            pairs, operations, computed_each(problems, target), strict=True
        ):
            assert_same(*each, [f"{pair[0]} {sign} {pair[1]}" for sign in known])


@pytest.mark.parametrize("dtype", INTEGERS)
def test_operations_with_numbers_and_of_one_value(dtype):
    def function(a):
        signed = np.iinfo(dtype).min < 0
        return [
            ~a, -a, +a, abs(a), a // 3, a % 7, 100 // a, 100 % a, a << 3, a >> 2, 1 << a, 5 * a,
            a & 6, a | 1, a ^ 127, *divmod(a, 10), a // 1, a % 1, a // 0, a % 0, a << 100, a >> 100,
            a > 300, a < 2**63, a >= -1, a == -5, np.left_shift(a, 1), np.floor_divide(a, 2),
            np.remainder(a, 3), np.mod(a, 5), np.invert(a), np.right_shift(a, 1),
            *np.divmod(a, 3), *([a // -1, a % -1, a // -3, a % -3] if signed else []),
        ]  # fmt: skip

    for target in TARGETS.values():
        found, expected = computed(function, [values(dtype, 3)], target)
        assert_same(found, expected, range(len(expected)))


@pytest.mark.parametrize("dtype", FLOATS)
def test_floats_are_divided_down_as_numpy_does_it(dtype):
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 0.1, -0.1, 1e-320, 1e30, -1e30, 5.5]
    rng = np.random.default_rng(5)
    a, b = (x.ravel() for x in np.meshgrid(special, special))
    powers = [10.0 ** rng.integers(-span, span, 5 * CELLS) for span in (30, 9)]
    a = np.concatenate([a, rng.normal(size=5 * CELLS) * powers[0], rng.integers(-99, 99, CELLS)])
    b = np.concatenate([b, rng.normal(size=5 * CELLS) * powers[1], rng.integers(-99, 99, CELLS)])
    # Next to whole multiples a quotient is rounded to one that is too large.
    near = (np.arange(1, CELLS + 1) * 0.1).astype(dtype)
    a = np.concatenate([a, near, np.nextafter(near, 0, dtype=dtype), -near])
    b = np.concatenate([b, *[np.full(CELLS, 0.1)] * 3])

    def function(a, b):
        return [a // b, a % b, a // 3, a % -0.7, 1.0 // b, *divmod(a, 2.5)]

    starts = range(0, len(a) - CELLS + 1, CELLS // 2)
    parts = [[x[start : start + CELLS].astype(dtype) for x in (a, b)] for start in starts]
    for target in TARGETS.values():
        for given in parts:
            assert_same(*computed(function, given, target), range(7))


def random_expression(rng, depth):
    """Return the text of an expression of the fields a, b and c."""
    if depth == 0 or rng.random() < 0.1:
        return rng.choice(["a", "b", "c", "a", "b", "c", "3", "1", "100"])
    left, right = (random_expression(rng, depth - 1) for _ in range(2))
    kind = rng.randrange(12)
    if kind == 0:
        return f"(~{left})" if left not in "31100" else left
    if kind == 1:
        return f"np.where({left} > {right}, {left} + a, {right} + a)"
    if kind == 2:
        return f"cast({left} + a, '{rng.choice(INTEGERS)}')"
    return f"({left} {rng.choice(['+', '-', '*', '//', '%', '&', '|', '^', '<<', '>>'])} {right})"


def cast(value, dtype):
    """Return a value as another type; not a float: beyond the integers nobody promises anything."""
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        raise TypeError
    return value.astype(dtype)


KNOWN = {"np": np, "cast": cast}


@pytest.mark.parametrize("seed", [7, 8, 9])
def test_random_expressions_of_integers(seed):
    rng = random.Random(seed)
    for _ in range(12):
        types = [rng.choice(INTEGERS) for _ in range(3)]
        given = [values(dtype, n) for n, dtype in enumerate(types)]
        # NumPy's own errors: types without bits in common, numbers that do not fit.
        texts = []
        while len(texts) < 6:
            text = f"(a + {random_expression(rng, 4)})"
            try:
                with np.errstate(all="ignore"):
                    kind = eval(text, KNOWN, dict(zip("abc", given, strict=True))).dtype.kind
            except (TypeError, OverflowError):
                continue
            texts += [text] if kind in "iu" else []
        codes = [compile(text, text, "eval") for text in texts]

        def function(a, b, c, codes=codes):
            return [eval(code, KNOWN, {"a": a, "b": b, "c": c}) for code in codes]

        target = rng.choice(list(TARGETS.values()))
        assert_same(*computed(function, given, target), texts)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_sums_of_integers_are_exact(dtype):
    limits = np.iinfo(dtype)
    array = np.random.default_rng(1).integers(limits.min, limits.max, 300, dtype, endpoint=True)
    for target in TARGETS.values():
        grid = hc.Grid((300,))
        field = grid.field(dtype, dtype=dtype)
        field.set(array)
        simulation = hc.Simulation(grid, [hc.sum(field)], threads=1, **target)
        exact = sum(map(int, array))
        assert simulation.reduce(hc.sum(field)) == float(exact)
        assert simulation.reduce(hc.sum(field[0] // 3)) == float(sum(int(v) // 3 for v in array))
        assert simulation.reduce(hc.sum(hc.where(field[0] > 5, 0.5, 0.0))) == 0.5 * sum(array > 5)
        assert simulation.reduce(hc.max(field)) == float(array.max())
        assert simulation.reduce(hc.min(field)) == float(array.min())
