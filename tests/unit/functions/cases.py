"""Functions of the language run through kernels on every target, and arguments for them."""

from __future__ import annotations

import numpy as np

import halocline as hc
from halocline.language.expressions.operations import OPERATIONS

ELEMENTARY = tuple(name for name, row in OPERATIONS.items() if row.is_elementary)
OF_ONE = tuple(name for name in ELEMENTARY if OPERATIONS[name].arity == 1)
TWO = tuple(name for name in ELEMENTARY if OPERATIONS[name].arity == 2)
OF_TWO = (*TWO, "fmod", "copysign")
ROUNDINGS = ("floor", "ceil", "trunc", "round")
EXACT = (*ROUNDINGS, "sign", "sqrt")
TYPES = (np.float64, np.float32)


def computed(function, *arrays, dtype=None, **options):
    """Return what a kernel makes of arrays, cell by cell."""
    grid = hc.Grid((arrays[0].size,))
    fields = [grid.field(f"x{i}", dtype=a.dtype.name) for i, a in enumerate(arrays)]
    out = grid.field("out", dtype=dtype or np.result_type(*arrays).name)

    if len(arrays) == 1:

        @hc.kernel
        def call(x0, out):
            out[0] = function(x0[0])

    else:

        @hc.kernel
        def call(x0, x1, out):
            out[0] = function(x0[0], x1[0])

    simulation = hc.Simulation(grid, [call(*fields, out)], check_every=0, **options)
    for field, array in zip(fields, arrays, strict=True):
        field.set(array)
    simulation.run(1, progress=False)
    return out.gather().copy()


def nasty(dtype, seed=1, count=400):
    """Return numbers of any size, near whole ones, multiples of pi, limits, and special ones."""
    random = np.random.default_rng(seed)
    info = np.finfo(dtype)
    whole = np.uint64 if dtype == np.float64 else np.uint32
    signs = random.choice([-1.0, 1.0], count)
    bits = random.integers(0, np.iinfo(whole).max, count, dtype=whole).view(dtype)
    parts = [
        random.uniform(-1, 1, count),
        random.uniform(-12, 12, count),
        random.uniform(-750, 750, count),
        signs * np.exp2(random.uniform(-60, 4, count)),
        1 + signs * np.exp2(random.uniform(-55, -1, count)),
        random.integers(1, 10**6, count) * (np.pi / 4),
        random.integers(-20, 20, count) / 2.0,
        info.smallest_subnormal * random.integers(0, 1000, 50),
        signs[:50] * float(info.max) * random.uniform(0.5, 1, 50),
        [0.0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 0.5, -0.5, info.tiny, -info.tiny, info.max],
        [-float(info.max), 709.782712893384, 88.72283905206835, -745.13, -103.97, 710.4758],
    ]
    with np.errstate(all="ignore"):
        numbers = np.concatenate([np.asarray(part).astype(dtype) for part in parts])
    return np.concatenate([bits[~np.isnan(bits)], numbers])


def pairs(dtype, seed=1):
    """Return two rows of such numbers, every special one beside every other."""
    special = nasty(dtype)[-18:]
    first, second = nasty(dtype, seed), np.random.default_rng(seed).permutation(nasty(dtype, 2))
    count = min(first.size, second.size)
    met = np.meshgrid(special, special)
    powers = (
        np.random.default_rng(3).uniform(0.2, 4, 800),
        np.random.default_rng(4).normal(0, 90, 800),
    )
    x, y = (
        np.concatenate([a[:count], b.ravel(), c.astype(dtype)])
        for a, b, c in zip((first, second), met, powers, strict=True)
    )
    return x, y


def same_bits(a, b):
    """Return whether two arrays have the same bits, but for what is not a number."""
    kind = f"u{a.dtype.itemsize}"
    both = np.isnan(a) & np.isnan(b) if a.dtype.kind == "f" else np.zeros(a.shape, bool)
    return bool(np.all((a.view(kind) == b.view(kind)) | both))
