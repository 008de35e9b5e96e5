"""Values move to whoever owns their cells, whatever the two decompositions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from unit.runtime.ranks import on_ranks

from halocline.errors import MpiError
from halocline.plan.blocks.redistribution import boxes_of_ranks, redistribution
from halocline.plan.blocks.shapes import decompose
from halocline.runtime.redistribution import redistribute

EXTENT = (7, 6)


def boxes_of(shape, ranks):
    split = decompose(EXTENT, (True, False), ranks, shape, 6 // ranks)
    return boxes_of_ranks(split.base, lambda numbers: split.base.table(numbers).box)


def values_in(boxes, components, dtype="float64"):
    whole = np.arange(components * 42, dtype=dtype).reshape(components, *EXTENT)
    return [(box, whole[(slice(None), *box.slices((0, 0)))]) for box in boxes]


shapes = st.sampled_from(((6, 1), (1, 6), (2, 3), (3, 2)))


@given(
    shapes, shapes, st.sampled_from((1, 2, 3, 6)), st.integers(1, 2),
    st.sampled_from(("float64", "float16", "uint8")),
)  # fmt: skip
def test_every_rank_gets_the_values_of_its_new_cells(before, after, ranks, components, dtype):
    have, wanted = boxes_of(before, ranks), boxes_of(after, ranks)

    def act(job):
        plan = redistribution(have, wanted, job.rank)
        mine = values_in(have[job.rank], components, dtype)
        places = [(box, np.zeros((components, *box.extent), dtype)) for box in wanted[job.rank]]
        redistribute(plan, mine, places, dtype, job)
        return places

    for rank, found in enumerate(on_ranks(ranks, act)):
        expected = values_in(wanted[rank], components, dtype)
        for (_, one), (_, other) in zip(found, expected, strict=True):
            assert one.tolist() == other.tolist()


def test_values_are_sent_as_what_they_become():
    have, wanted = boxes_of((6, 1), 2), boxes_of((1, 6), 2)

    def act(job):
        places = [(box, np.zeros(box.extent, "float32")) for box in wanted[job.rank]]
        mine = [(box, np.full(box.extent, 0.1)) for box in have[job.rank]]
        redistribute(redistribution(have, wanted, job.rank), mine, places, "float32", job)
        return {float(v) for _, array in places for v in array.flat}

    assert on_ranks(2, act) == [{float(np.float32(0.1))}] * 2


def test_a_rank_that_fails_is_heard_before_anything_moves():
    have, wanted = boxes_of((6, 1), 2), boxes_of((1, 6), 2)

    def act(job):
        with job.call("rebuild"):
            if job.rank == 1:
                raise MemoryError("too little")
            redistribute(redistribution(have, wanted, job.rank), [], [], "float64", job)

    first, second = on_ranks(2, act)
    assert isinstance(second, MemoryError)
    with pytest.raises(MpiError, match=r"Rank 1 failed in rebuild .*too little"):
        raise first
