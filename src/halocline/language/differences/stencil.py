"""Stencils of users: the weights of a cell's neighbours, written once and used in any kernel."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from operator import add
from types import MappingProxyType
from typing import Any

import numpy as np

from halocline.errors import KernelError, described
from halocline.frozen import Frozen
from halocline.geometry import AXES
from halocline.language.expressions.complex_values import ComplexArithmetic
from halocline.language.expressions.expr import shifted
from halocline.language.expressions.operators import Operand, Value, cells_of
from halocline.language.numbers import ANY, finite_number
from halocline.language.place import user_place


class Stencil(Frozen, eq=False):
    """Weights of neighbours; called with a field or an expression it is the weighted sum.

    Attributes:
        weights: By how many cells the neighbours lie further along each axis.
    """

    weights: Mapping[tuple[int, ...], Any]

    def __call__(self, u: Any) -> Any:
        """Return the weighted sum of a value and its neighbours, in the order of the weights.

        Args:
            u: A field of a kernel, one of its components or any expression.

        Raises:
            KernelError: It is none, or its grid has other axes than the stencil.
        """
        if isinstance(u, ComplexArithmetic):
            return u.mapped(self)
        if not isinstance(u, Operand):
            raise _refusal(
                f"A stencil was applied to {described(u)}; expected a field of a kernel, or an "
                "expression of fields."
            )
        node = u.expression()
        (axes, *_) = map(len, self.weights)
        dimensions = cells_of(node, axes).dimensions
        if dimensions != axes:
            raise _refusal(
                f"A stencil along {', '.join(AXES[:axes])} was applied to a value of a grid along "
                f"{', '.join(AXES[:dimensions])}."
            )
        terms = (shifted(node, way) for way in self.weights)
        weighted = (Value(t) * w for t, w in zip(terms, self.weights.values(), strict=True))
        return reduce(add, weighted)


def stencil(weights: Mapping[tuple[int, ...], Any]) -> Stencil:
    """Return a stencil of your own: 'hc.stencil({(-1, 0): 1.0, (0, 0): -1.0})(u)'.

    Neighbours are counted in cells and weights are taken as they are, without a spacing: give the
    one between cells with them, or see 'hc.d(…, weights=…)'. What has the weight 0 is not read.

    Args:
        weights: By how many cells a neighbour lies further along each axis: a number, a parameter,
            or in a kernel any value of the cell.

    Raises:
        KernelError: They are something else, or there are none.

    Example:
        >>> T = hc.Grid((8, 8)).field("T")
        >>> neighbours = hc.stencil({(-1, 0): 1.0, (1, 0): 1.0})(T)
    """
    if not isinstance(weights, Mapping):
        raise _refusal(
            f"'hc.stencil' was given {described(weights)}; expected a dictionary of weights, as "
            "{(-1, 0): 1.0, (0, 0): -1.0}."
        )
    found = {_way(way): _weight(way, weight) for way, weight in weights.items()}
    found = {way: weight for way, weight in found.items() if not _is_zero(weight)}
    if not found:
        raise _refusal("'hc.stencil' was given no weight but 0; expected some.")
    if len(lengths := sorted({len(way) for way in found})) > 1:
        raise _refusal(
            f"'hc.stencil' was given neighbours along {lengths[0]} and along {lengths[-1]} axes; "
            "expected one number of cells for each axis of a grid."
        )
    return Stencil(MappingProxyType(found))


def _way(given: Any) -> tuple[int, ...]:
    """Return how many cells further a neighbour lies along each axis."""
    way = given if isinstance(given, tuple) else (given,)
    if not 1 <= len(way) <= len(AXES) or any(
        isinstance(cells, bool) or not isinstance(cells, int | np.integer) for cells in way
    ):
        raise _refusal(
            f"'hc.stencil' was given the neighbour {described(given)}; expected whole numbers of "
            "cells, one an axis, as (-1, 0)."
        )
    return tuple(map(int, way))


def _weight(way: Any, given: Any) -> Any:
    if isinstance(given, Operand):
        return given
    number = finite_number(
        f"The weight of neighbour {way} of 'hc.stencil'", given, ANY, KernelError
    )
    # Whole weights leave integers what they are.
    return int(given) if isinstance(given, int | np.integer) else number


def _is_zero(weight: Any) -> bool:
    return not isinstance(weight, Operand) and weight == 0


def _refusal(what: str) -> KernelError:
    return KernelError(what, place=user_place())
