"""Transfers between levels that are exact for parabolas, of values in the middle of cells.

A child gets the value of the parabola through three coarse values along each axis. The mean of all
children is not the value in the middle of their parent: by Taylor's formula it is larger by h^2/8
times the sum of the second derivatives, h being the width of a child. These are differences taken
towards the middle of the finer block, so that no cell beyond the finer level counts.
"""

from __future__ import annotations

from fractions import Fraction
from functools import reduce
from itertools import product
from operator import add
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from halocline.geometry import AXES
from halocline.language.expressions.functions import index, where
from halocline.language.place import user_place
from halocline.language.steps.trace import recorded
from halocline.language.steps.transfer import from_coarser, weighted

if TYPE_CHECKING:
    from halocline.geometry import Offset
    from halocline.language.expressions.operators import Value
    from halocline.language.grids.fields import Field
    from halocline.language.steps.steps import Call
    from halocline.language.steps.transfer import Weights

# Of three coarse values, for the first child: a quarter of a coarse cell below the middle.
_FIRST: Weights = {-1: Fraction(5, 32), 0: Fraction(15, 16), 1: Fraction(-3, 32)}
_BOTH: Weights = {0: Fraction(1, 2), 1: Fraction(1, 2)}


def prolong_parabolas(coarse: Field, fine: Field) -> Call:
    """Return the step that gives children values of parabolas through coarse values."""
    axes = coarse.space.axes

    def values(child: Offset, source: Any, _: Any) -> list[Value]:
        weights = [{-o if child[a] else o: w for o, w in _FIRST.items()} for a in axes]
        return [weighted({o: part[o] for o in product(*weights)}, weights) for part in source]

    return from_coarser("prolong", {"source": coarse}, fine, values)


def restrict_parabolas(fine: Field, coarse: Field) -> Call:
    """Return the step that gives coarse cells the values of parabolas through fine ones."""
    forest, axes = coarse.grid.state.forest, coarse.space.axes
    assert forest is not None
    # How many coarse cells a block of the finer level spans along each axis.
    spans = [forest.leaves.block[axis] // 2 for axis in axes]

    def value(children: Any) -> Value:
        weights = [_BOTH] * len(axes)
        mean = weighted({o: children[o] for o in product(*weights)}, weights)
        bends = []
        for number, (axis, span) in enumerate(zip(axes, spans, strict=True)):
            ahead, back = (_bend(children, len(axes), number, first) for first in (0, -1))
            bends.append(where(2 * (index(AXES[axis]) % span) < span, ahead, back))
        found: Value = mean - 0.125 * reduce(add, bends)
        return found

    def body(source: Any, target: Any) -> None:
        for children, place in zip(source, target, strict=True):
            place[target.here] = value(children)

    call = recorded("restrict", user_place(), {"source": fine, "target": coarse}, body, {})
    return replace(call, of_leaves=frozenset({"source"}))


def _bend(children: Any, dimensions: int, axis: int, first: int) -> Value:
    """Return the mean second difference of three children along an axis, from the first one on."""
    lines = list(product((0, 1), repeat=dimensions - 1))

    def child(line: Offset, place: int) -> Value:
        value_there: Value = children[(*line[:axis], place, *line[axis:])]
        return value_there

    bends = [
        (child(line, first) - child(line, first + 1))
        - (child(line, first + 1) - child(line, first + 2))
        for line in lines
    ]
    mean: Value = (1 / len(lines)) * reduce(add, bends)
    return mean
