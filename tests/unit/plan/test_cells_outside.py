"""Disjoint boxes outside of others: what NumPy finds for many is what Python finds for each."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from halocline.box_array import BoxArray
from halocline.geometry import UNBOUNDED, Box, disjoint
from halocline.plan.exchange.outside import disjoint_outside


def _drawn(random: Random, axes: int) -> Box:
    """Return a box near the origin, maybe without cells or without bounds."""
    first = [random.choice((-UNBOUNDED, *range(-4, 5))) for _ in range(axes)]
    end = [random.choice((UNBOUNDED, *range(-4, 5))) for _ in range(axes)]
    return Box(tuple(first), tuple(end))


@pytest.mark.parametrize("axes", [1, 2, 3])
def test_each_problem_is_solved_as_if_alone(axes):
    random, of_each, count = Random(axes), 5, 60
    inner = [_drawn(random, axes) for _ in range(count)]
    others = [[_drawn(random, axes) for _ in range(of_each)] for _ in range(count)]
    # The same surroundings elsewhere, stretched, and as they are.
    for n in range(0, count, 3):
        inner[n], others[n] = inner[n - 1], others[n - 1][::-1]
        stretch = [BoxArray.of([inner[n - 1], *others[n - 1]]).moved((7,) * axes).doubled()]
        inner[n - 2], *others[n - 2] = stretch[0].every()
    flat = BoxArray.of([box for boxes in zip(*others, strict=True) for box in boxes])
    several = BoxArray(*(end.reshape(axes, of_each, count) for end in flat))
    of, found = disjoint_outside(BoxArray.of(inner), several)
    for n in range(count):
        expected = disjoint(part for box in others[n] for part in box.subtract(inner[n]))
        assert found.take(of == n).every() == list(expected)
    assert np.all(np.diff(of) >= 0)


def test_boxes_within_the_other_one_leave_nothing():
    inner = BoxArray.of([Box((0, 0), (4, 4))])
    of, found = disjoint_outside(inner, BoxArray(inner.lower[:, None], inner.upper[:, None]))
    assert not len(of)
    assert not found.every()
