"""Derivatives in kernels: what a user writes; 'differences.py' makes differences of them.

They are in physical units, with the spacing of the grid, and know where fields are located: the
result is wanted where the field is located to which it is assigned. Along the axis of a derivative

- values of the same location give central differences,
- values half a cell from it, on faces for the middle of cells or the other way round, give the
  differences of a staggered grid,
- a derivative of odd order or an average within another one is taken where the values beside it are
  located; where nothing but such stand, half a cell from where the outer one is wanted, or at that
  place if the outer one has an even order. So 'd(d(u, "x"), "x")' is compact, and
  'd(average(k, "x") * d(u, "x"), "x")' the conservative difference of three points.

Along other axes places must be alike: 'average' brings values half a cell further.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import factorial, fsum
from typing import Any

import numpy as np

from halocline.errors import KernelError, described
from halocline.geometry import AXES
from halocline.language.differences.fornberg import centred
from halocline.language.expressions import operators
from halocline.language.expressions.complex_values import ComplexArithmetic
from halocline.language.expressions.expr import Derivative, Expr, Metric, Read, walk
from halocline.language.numbers import ANY, finite_number
from halocline.language.place import user_place

_HIGHEST_ORDER = 8
_MOST_ACCURATE = 16
_VECTOR = 3
# How well weights of users must sum up, relative: those of publications have some digits.
_DIGITS = 1e-5


def d(
    u: Any, axis: str, order: int = 1, accuracy: int = 2, *, weights: Sequence[float] | None = None
) -> Any:
    """Return a derivative along an axis [unit of u / length unit ** order].

    Args:
        u: A field of a kernel, one of its components or any expression.
        axis: 'x', 'y' or 'z'.
        order: Of the derivative.
        accuracy: Order of the error in the spacing, an even number; 'accuracy=8' reads four cells
            to each side for the second derivative.
        weights: Of your own instead, for cells 1 wide: of as many values on either side, the first
            that of the lowest, as '(1/12, -2/3, 0, 2/3, -1/12)'; an even number of them for values
            half a cell away. 'hc.stencil' gives neighbours other weights.

    Raises:
        KernelError: There is no such derivative, or the weights are none of it.

    Example:
        >>> T = hc.Grid((8, 8), spacing=0.5).field("T")
        >>> hc.d(T, "x")
        <d(T[0, 0], 'x', order=1) in each cell>
    """
    terms = [(axis, _checked("order", order, 1, _HIGHEST_ORDER))]
    return _derivative("hc.d", u, terms, accuracy, _of_user(weights, order))


def average(u: Any, axis: str, accuracy: int = 2) -> Any:
    """Return the value half a cell from where u is located along an axis, interpolated.

    Args:
        u: A field of a kernel, one of its components or any expression.
        axis: 'x', 'y' or 'z'.
        accuracy: Order of the error in the spacing; 2 for the mean of two values.

    Example:
        >>> T = hc.Grid((8, 8)).field("T")
        >>> at_faces = hc.average(T, "x")
    """
    return _derivative("hc.average", u, [(axis, 0)], accuracy)


def laplacian(u: Any, accuracy: int = 2) -> Any:
    """Return the sum of the second derivatives along all axes [unit of u / length unit squared].

    Args:
        u: A field of a kernel, one of its components or any expression.
        accuracy: See 'd'.

    Example:
        >>> T = hc.Grid((8, 8)).field("T")
        >>> hc.laplacian(T, accuracy=4)
        <d(T[0, 0], 'x', order=2) + d(T[0, 0], 'y', order=2) in each cell>
    """
    axes = AXES[: _dimensions("hc.laplacian", u)]
    return _derivative("hc.laplacian", u, [(axis, 2) for axis in axes], accuracy)


def grad(u: Any, accuracy: int = 2) -> tuple[Any, ...]:
    """Return the derivatives along all axes of the grid, see 'd'.

    Example:
        >>> T = hc.Grid((8, 8)).field("T")
        >>> len(hc.grad(T))
        2
    """
    axes = AXES[: _dimensions("hc.grad", u)]
    return tuple(_derivative("hc.grad", u, [(axis, 1)], accuracy) for axis in axes)


def div(v: Any, accuracy: int = 2) -> Any:
    """Return the sum of the derivatives of each component along its axis.

    Args:
        v: A component for each axis: a field of several components, or a sequence.
        accuracy: See 'd'.

    Example:
        >>> grid = hc.Grid((8, 8))
        >>> hc.div((grid.field("u"), grid.field("v")))
        <(d(u[0, 0], 'x', order=1)) + (d(v[0, 0], 'y', order=1)) in each cell>
    """
    parts = _components("hc.div", v)
    terms = [_derivative("hc.div", part, [(a, 1)], accuracy) for a, part in zip(AXES, parts)]  # noqa: B905
    total = terms[0]
    for term in terms[1:]:
        total = total + term
    return total


def curl(v: Any, accuracy: int = 2) -> Any:
    """Return the curl: three components, or on a grid of two axes dv_y/dx - dv_x/dy.

    Args:
        v: A component for each axis: a field of several components, or a sequence.
        accuracy: See 'd'.

    Example:
        >>> grid = hc.Grid((8, 8))
        >>> hc.curl((grid.field("u"), grid.field("v")))
        <(d(v[0, 0], 'x', order=1)) - (d(u[0, 0], 'y', order=1)) in each cell>
    """
    parts = _components("hc.curl", v)

    def along(part: int, axis: int) -> Any:
        return _derivative("hc.curl", parts[part], [(AXES[axis], 1)], accuracy)

    if len(parts) < _VECTOR:
        return along(1, 0) - along(0, 1)
    pairs = ((1, 2), (2, 0), (0, 1))
    return tuple(along(second, first) - along(first, second) for first, second in pairs)


def coordinate(axis: str) -> operators.Value:
    """Return where the cell lies along an axis [length unit], of type float64.

    It is the coordinate of the location of the field to which it is assigned, or within a
    derivative that of what is differentiated. Along a periodic axis it wraps.

    Example:
        >>> hc.coordinate("x")
        <coordinate('x') in each cell>
    """
    return operators.Value(Metric("coordinate", _axis("hc.coordinate", axis), 0))


def spacing(axis: str) -> operators.Value:
    """Return how wide the cell is along an axis [length unit].

    For what is located on faces it is the distance of the middles of the cells on either side.

    Example:
        >>> hc.spacing("x")
        <spacing('x') in each cell>
    """
    return operators.Value(Metric("spacing", _axis("hc.spacing", axis), 0))


def _derivative(
    name: str,
    u: Any,
    along: Sequence[tuple[str, int]],
    accuracy: int,
    weights: tuple[float, ...] = (),
) -> Any:
    if isinstance(u, ComplexArithmetic):
        return u.mapped(lambda part: _derivative(name, part, along, accuracy, weights))
    dimensions = _dimensions(name, u)
    if _checked("accuracy", accuracy, 2, _MOST_ACCURATE) % 2:
        raise KernelError(
            f"'{name}' was asked for the accuracy {accuracy}; expected an even number: differences "
            "are central.",
            place=user_place(),
        )
    terms = tuple((_axis(name, axis, dimensions), order) for axis, order in along)
    found: operators.Value = u.made(Derivative(u.expression(), terms, accuracy, None, weights))
    return found


def _of_user(given: Sequence[float] | None, order: int) -> tuple[float, ...]:
    """Return the weights that a user gives a derivative; none for None."""
    if given is None:
        return ()
    if isinstance(given, str) or not isinstance(given, Sequence | np.ndarray) or not len(given):
        raise KernelError(
            f"'hc.d' was given the weights {described(given)}; expected a sequence of numbers.",
            place=user_place(),
        )
    weights = tuple(
        finite_number("A weight of 'hc.d'", weight, ANY, KernelError) for weight in given
    )
    points = [float(point) for point in centred(len(weights))]
    for power in range(order + 1):
        terms = [weight * point**power for weight, point in zip(weights, points, strict=True)]
        expected = factorial(order) if power == order else 0
        if abs(fsum(terms) - expected) > _DIGITS * fsum(map(abs, [*terms, expected])):
            raise KernelError(
                f"The {len(weights)} weights of 'hc.d' make {fsum(terms):.6g} of x**{power}, its "
                f"derivative of order {order} at 0; expected {expected}.",
                hint="They are those of all values from the lowest up, for cells 1 wide. Other "
                "weighted sums are hc.stencil({(-1, 0): w, …})(u).",
                place=user_place(),
            )
    return weights


def _axis(name: str, axis: str, dimensions: int = len(AXES)) -> int:
    axes = AXES[:dimensions]
    if not isinstance(axis, str) or axis not in list(axes):
        raise KernelError(
            f"'{name}' was given the axis {axis!r}; expected one of {', '.join(axes)}.",
            place=user_place(),
        )
    return AXES.index(axis)


def _checked(what: str, value: Any, least: int, most: int) -> int:
    if (
        isinstance(value, bool)
        or not isinstance(value, int | np.integer)
        or not least <= value <= most
    ):
        raise KernelError(
            f"A derivative of {what} {value!r} was asked for; expected a whole number from {least} "
            f"to {most}.",
            place=user_place(),
        )
    return int(value)


def _dimensions(name: str, u: Any) -> int:
    """Return how many axes the grid has of what is differentiated."""
    if isinstance(u, ComplexArithmetic):
        u = next((part for part in (u.real, u.imag) if isinstance(part, operators.Operand)), u)
    node: Expr | None = u.expression() if isinstance(u, operators.Operand) else None
    read = next((n for n in walk(node) if isinstance(n, Read)), None) if node else None
    if read is None:
        raise KernelError(
            f"'{name}' was given {described(u) if node is None else 'a value'}, which is read from "
            "no field; expected a field or an expression of fields.",
            place=user_place(),
        )
    return len(read.offset)


def _components(name: str, v: Any) -> list[Any]:
    """Return a component for each axis, or refuse what has others."""
    is_single = isinstance(v, operators.Value) or getattr(v, "components", 2) == 1
    parts = [] if is_single or not hasattr(v, "__iter__") else list(v)
    dimensions = _dimensions(name, parts[0]) if parts else 0
    if not parts or len(parts) != dimensions:
        found = f"{len(parts)} of them" if parts else described(v)
        raise KernelError(
            f"'{name}' was given {found}; expected a component for each of the grid's axes.",
            hint=f"Write {name}((u, v, w)), or give a field of so many components.",
            place=user_place(),
        )
    if name == "hc.curl" and dimensions == 1:
        raise KernelError(f"'{name}' was used on a grid of one axis.", place=user_place())
    return parts
