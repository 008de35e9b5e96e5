"""Solvers of linear systems A x = b as steps: conjugate gradients, and BiCGSTAB.

Sources: Hestenes & Stiefel 1952, "Methods of conjugate gradients for solving linear systems";
van der Vorst 1992, "Bi-CGSTAB". Sums are exact, so that any number of ranks does the
same iterations.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from halocline.errors import PlanError, described
from halocline.language.expressions.functions import sqrt, where
from halocline.language.expressions.parameters import Parameter
from halocline.language.grids.fields import Field
from halocline.language.grids.grid import same_family
from halocline.language.numbers import Range, finite_number
from halocline.language.place import user_place
from halocline.language.steps.loops import assign, until
from halocline.language.steps.reductions import sum as sum_of
from halocline.language.steps.steps import as_steps
from halocline.language.steps.trace import kernel

if TYPE_CHECKING:
    from halocline.language.grids.sides import Part
    from halocline.language.steps.steps import Step

# apply(p, q) returns what computes q = A p: a called kernel, or several steps.
Apply = Callable[[Field, Field], Any]


class Solver(tuple["Step", ...]):
    """The steps that solve a system; they stand in a list of steps like any other.

    Attributes:
        iterations: A parameter: how many iterations were done the last time.
        residual: A formula: the norm of b - A x after the last iteration, as the recurrence has it.
    """

    iterations: Parameter
    residual: Parameter


def conjugate_gradients(  # noqa: PLR0913 (what a solver is told)
    apply: Apply,
    x: Field,
    b: Field,
    *,
    tolerance: float | Parameter = 1e-10,
    max_iterations: int = 1000,
    precondition: Apply | None = None,
    on_failure: str = "error",
) -> Solver:
    """Return steps that solve A x = b for a symmetric positive definite A, beginning with x.

    Args:
        apply: Called with two fields p and q; returns the steps that compute q = A p.
        x: The first guess, and the solution.
        b: The right-hand side.
        tolerance: Of the norm of b - A x, relative to that of b.
        max_iterations: The largest number of iterations.
        precondition: Called with two fields r and z; returns the steps that compute z = M r, with M
            symmetric, positive definite and near the inverse of A. Without, M is the identity.
        on_failure: What happens if 'max_iterations' iterations do not suffice; see 'until'.

    Raises:
        PlanError: What it was given does not fit together.

    Example:
        >>> grid = hc.Grid((8, 8), periodic=True)
        >>> u, f = grid.field("u"), grid.field("f")
        >>> @hc.kernel
        ... def operator(u, Au):
        ...     Au[0, 0] = u - hc.laplacian(u)
        >>> solver = hc.conjugate_gradients(operator, u, f, tolerance=1e-8)
    """
    _check("conjugate_gradients", apply, x, b, tolerance)
    r, p, q = _work(x, "cg", "r", "p", "q")
    (z,) = _work(x, "cg", "z") if precondition else (r,)
    bb, pq = sum_of(b * b, "bb"), sum_of(p * q, "pq")
    rr, rz_new = sum_of(r * r, "rr"), sum_of(r * z, "rz")
    rz = Parameter(0.0, "rz before")
    alpha, residual = _quotient(rz, pq), sqrt(rr)
    new = rz_new if precondition else rr
    conditioned = precondition(r, z) if precondition else ()
    loop = until(
        residual <= tolerance * sqrt(bb),
        apply(p, q),
        pq,
        _step_along(x, r, p, q, alpha=alpha),
        rr,
        (conditioned, rz_new) if precondition else (),
        _direction(p, z, beta=_quotient(new, rz)),
        assign(rz, new),
        max_iterations=max_iterations,
        on_failure=on_failure,
    )
    begin = [apply(x, q), _difference(r, b, q), bb, conditioned, _copy(p, z)]
    return _solver((*begin, assign(rz, sum_of(r * z)), loop), loop.iterations, residual)


def bicgstab(
    apply: Apply,
    x: Field,
    b: Field,
    *,
    tolerance: float | Parameter = 1e-10,
    max_iterations: int = 1000,
    on_failure: str = "error",
) -> Solver:
    """Return steps that solve A x = b for any A that is not singular, beginning with x.

    Args:
        apply: Called with two fields p and q; returns the steps that compute q = A p.
        x: The first guess, and the solution.
        b: The right-hand side.
        tolerance: Of the norm of b - A x, relative to that of b.
        max_iterations: The largest number of iterations.
        on_failure: What happens if 'max_iterations' iterations do not suffice; see 'until'.

    Raises:
        PlanError: What it was given does not fit together.

    Example:
        >>> grid = hc.Grid((8, 8), periodic=True)
        >>> u, f = grid.field("u"), grid.field("f")
        >>> @hc.kernel
        ... def operator(u, Au):
        ...     Au[0, 0] = u + hc.d(u, "x") - hc.laplacian(u)
        >>> solver = hc.bicgstab(operator, u, f, tolerance=1e-8)
    """
    _check("bicgstab", apply, x, b, tolerance)
    r, first, p, v, t = _work(x, "bicgstab", "r", "first", "p", "v", "t")
    bb, rr = sum_of(b * b, "bb"), sum_of(r * r, "rr")
    rho = Parameter(0.0, "rho before")
    rho_new = sum_of(first * r, "rho")
    alpha = _quotient(rho, sum_of(first * v, "first v"))
    omega = _quotient(sum_of(t * r, "tr"), sum_of(t * t, "tt"))
    residual = sqrt(rr)
    loop = until(
        residual <= tolerance * sqrt(bb),
        apply(p, v),
        alpha,
        _subtract(r, v, alpha=alpha),
        apply(r, t),
        omega,
        _two_steps_along(x, r, p, t, alpha=alpha, omega=omega),
        rr,
        rho_new,
        _renewed(p, r, v, beta=_quotient(rho_new, rho) * _quotient(alpha, omega), omega=omega),
        assign(rho, rho_new),
        max_iterations=max_iterations,
        on_failure=on_failure,
    )
    begin = [apply(x, v), _difference(r, b, v), _copy(first, r), _copy(p, r), bb]
    return _solver((*begin, assign(rho, sum_of(r * r)), loop), loop.iterations, residual)


def _quotient(a: Parameter, b: Parameter) -> Any:
    """Return a / b, or 0 where b is: then nothing is left to do."""
    return where(abs(b) <= 0.0, 0.0, a / b)


def _check(what: str, apply: Any, x: Field, b: Field, tolerance: float | Parameter) -> None:
    if not callable(apply):
        raise PlanError(
            f"'{what}' was given {described(apply)} for A; expected a kernel that is not called "
            "yet, or a function of two fields p and q that returns what computes q = A p.",
            hint=f"Write hc.{what}(apply, x, b), or lambda p, q: apply(p, q, k) where it needs "
            "more fields.",
            place=user_place(),
        )
    for field in (x, b):
        if not isinstance(field, Field):
            raise PlanError(
                f"'{what}' was given {described(field)}; expected fields for x and b.",
                place=user_place(),
            )
    same_family((x, b), f"'{what}'")
    if x is b or x.space != b.space or x.components != 1 or b.components != 1:
        raise PlanError(
            f"'{what}' was given '{x.name}' and '{b.name}' for x and b; expected two fields of one "
            "component with the same cells.",
            place=user_place(),
        )
    if not isinstance(tolerance, Parameter):
        finite_number(f"'tolerance' of '{what}'", tolerance, Range(least=0.0))


def _work(x: Field, solver: str, *names: str) -> tuple[Field, ...]:
    """Return hidden fields with the cells of x; what x prescribes beyond sides is 0 for them."""
    made = []
    for name in names:
        field = x.grid.hidden_field(
            f"{solver}_{name}_of_{x.name}", dtype=x.dtype, axes=x.axes, location=x.location
        )
        # A x is linear but for what is prescribed, which the first residual contains.
        field.boundaries |= {
            side: tuple(_homogeneous(part, field, side) for part in parts)
            for side, parts in x.boundaries.items()
        }
        made.append(field)
    return tuple(made)


def _homogeneous(part: Part, field: Field, side: str) -> Part:
    """Return what a field has on a part of a side that is added to one with this condition."""
    if not hasattr(part.declared, "homogeneous"):
        return part
    declared = part.declared.homogeneous()
    return replace(part, declared=declared, condition=declared.bound(field, side))


def _solver(steps: tuple[Any, ...], iterations: Parameter, residual: Parameter) -> Solver:
    made = Solver(as_steps(steps))
    made.iterations, made.residual = iterations, residual
    return made


@kernel
def _copy(a: Any, b: Any) -> None:
    a[a.here] = b[b.here]


@kernel
def _difference(r: Any, b: Any, q: Any) -> None:
    r[r.here] = b[b.here] - q[q.here]


@kernel
def _step_along(x: Any, r: Any, p: Any, q: Any, *, alpha: Any) -> None:
    x[x.here] = x[x.here] + alpha * p[p.here]
    r[r.here] = r[r.here] - alpha * q[q.here]


@kernel
def _direction(p: Any, z: Any, *, beta: Any) -> None:
    p[p.here] = z[z.here] + beta * p[p.here]


@kernel
def _subtract(r: Any, v: Any, *, alpha: Any) -> None:
    r[r.here] = r[r.here] - alpha * v[v.here]


@kernel
def _two_steps_along(x: Any, r: Any, p: Any, t: Any, *, alpha: Any, omega: Any) -> None:
    x[x.here] = x[x.here] + alpha * p[p.here] + omega * r[r.here]
    r[r.here] = r[r.here] - omega * t[t.here]


@kernel
def _renewed(p: Any, r: Any, v: Any, *, beta: Any, omega: Any) -> None:
    p[p.here] = r[r.here] + beta * (p[p.here] - omega * v[v.here])
