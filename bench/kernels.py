"""Kernels for measurements, built from expressions by hand."""

from __future__ import annotations

from functools import reduce

from halocline.language.expr import Binary, Const, Expr, Read, Scalar
from halocline.language.kernel import FieldType, Kernel, Statement

# The D3Q19 velocity set in pairs of opposite velocities: for odd i the opposite of i is i + 1.
AXES = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
EDGES = ((1, 1, 0), (1, 0, 1), (0, 1, 1), (1, -1, 0), (1, 0, -1), (0, 1, -1))


def add(a: Expr, b: Expr) -> Expr:
    """Return the sum of two values."""
    return Binary("add", a, b)


def sub(a: Expr, b: Expr) -> Expr:
    """Return the difference of two values."""
    return Binary("sub", a, b)


def mul(a: Expr, b: Expr) -> Expr:
    """Return the product of two values."""
    return Binary("mul", a, b)


def heat(dtype: str = "float64") -> Kernel:
    """Return one step of explicit diffusion in three dimensions."""
    here = Read("T", 0, (0, 0, 0))
    around = [Read("T", 0, tuple(s * a for a in axis)) for axis in AXES for s in (-1, 1)]
    total = reduce(add, around)
    value = add(here, mul(Scalar("a"), sub(total, mul(Const(6.0), here))))
    fields = (FieldType("T", dtype, 1), FieldType("T_new", dtype, 1))
    return Kernel("heat", 3, fields, ("a",), (Statement("T_new", 0, value),))


def d3q19(dtype: str = "float64") -> Kernel:
    """Return the fused stream (pull) and collide (BGK) of D3Q19 on two grids."""
    pairs = [
        (2 * i + 1, velocity, 1 / 18 if velocity in AXES else 1 / 36)
        for i, velocity in enumerate((*AXES, *EDGES))
    ]
    f: dict[int, Expr] = {0: Read("f", 0, (0, 0, 0))}
    for i, velocity, _ in pairs:
        f[i] = Read("f", i, tuple(-c for c in velocity))
        f[i + 1] = Read("f", i + 1, velocity)
    sums = {i: add(f[i], f[i + 1]) for i, _, _ in pairs}
    differences = {i: sub(f[i], f[i + 1]) for i, _, _ in pairs}
    rho = reduce(add, sums.values(), f[0])
    inverse = Binary("div", Const(1.0), rho)
    u = [mul(_momentum(pairs, differences, axis), inverse) for axis in range(3)]
    square = reduce(add, [mul(v, v) for v in u])
    rest = sub(Const(1.0), mul(Const(1.5), square))
    omega = Scalar("omega")
    keep = sub(Const(1.0), omega)
    weighted = mul(omega, rho)
    axis_weight, edge_weight = mul(weighted, Const(1 / 18)), mul(weighted, Const(1 / 36))
    first = add(mul(keep, f[0]), mul(mul(weighted, Const(1 / 3)), rest))
    statements = [Statement("f_next", 0, first)]
    for i, velocity, weight in pairs:
        scaled = axis_weight if weight == 1 / 18 else edge_weight
        cu = _dot(velocity, u)
        even = mul(scaled, add(rest, mul(Const(4.5), mul(cu, cu))))
        odd = mul(scaled, mul(Const(3.0), cu))
        statements += [
            Statement("f_next", i, add(mul(keep, f[i]), add(even, odd))),
            Statement("f_next", i + 1, add(mul(keep, f[i + 1]), sub(even, odd))),
        ]
    fields = (FieldType("f", dtype, 19), FieldType("f_next", dtype, 19))
    return Kernel("collide_stream", 3, fields, ("omega",), tuple(statements))


def _momentum(
    pairs: list[tuple[int, tuple[int, ...], float]], differences: dict[int, Expr], axis: int
) -> Expr:
    terms = [(velocity[axis], differences[i]) for i, velocity, _ in pairs if velocity[axis]]
    return reduce(
        lambda total, term: (add if term[0] > 0 else sub)(total, term[1]), terms[1:], terms[0][1]
    )


def _dot(velocity: tuple[int, ...], u: list[Expr]) -> Expr:
    terms = [(c, v) for c, v in zip(velocity, u, strict=True) if c]
    return reduce(
        lambda total, term: (add if term[0] > 0 else sub)(total, term[1]), terms[1:], terms[0][1]
    )
