"""Values move to whoever owns their cells, whatever the two decompositions."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import halocline as hc
from halocline.errors import MpiError
from halocline.language.initial import InitialValues
from halocline.plan.decomposition import decompose
from halocline.runtime.redistribution import redistributed

EXTENT = (7, 6)
SPACE = hc.Grid(EXTENT, periodic=(True, False)).space


class Ranks:
    """Stands for the job of one of several ranks; the messages of all are known beforehand."""

    def __init__(self, wanted, sent=None, rank=0) -> None:
        self.wanted = wanted
        self.sent = sent
        self.rank = rank
        self.seen = None

    def everywhere(self, _):
        return self.wanted

    def exchanged(self, values):
        self.seen = values
        return [of_rank[self.rank] for of_rank in self.sent] if self.sent else [[]] * len(values)


def boxes_of(shape, ranks):
    split = decompose(EXTENT, (True, False), ranks, shape, 6 // ranks)
    return [tuple(block.box for block in split.blocks_of(rank)) for rank in range(ranks)]


def values_in(boxes, components):
    whole = np.arange(components * 42.0).reshape(*([components] if components > 1 else []), *EXTENT)
    cuts = [tuple(slice(l, u) for l, u in zip(b.lower, b.upper, strict=True)) for b in boxes]
    return InitialValues(boxes, tuple(whole[(..., *cut)] for cut in cuts))


shapes = st.sampled_from(((6, 1), (1, 6), (2, 3), (3, 2)))


@given(shapes, shapes, st.sampled_from((1, 2, 3, 6)), st.integers(1, 2))
def test_every_rank_gets_the_values_of_its_new_cells(before, after, ranks, components):
    have = [values_in(boxes, components) for boxes in boxes_of(before, ranks)]
    wanted = boxes_of(after, ranks)
    sent = []
    for rank in range(ranks):
        job = Ranks(wanted)
        with suppress(MpiError):  # nothing arrives in this round, which looks at what is sent
            redistributed(have[rank], wanted[rank], SPACE, job)
        sent.append(job.seen)
    for rank in range(ranks):
        found = redistributed(have[rank], wanted[rank], SPACE, Ranks(wanted, sent, rank))
        expected = values_in(wanted[rank], components)
        assert found.boxes == expected.boxes
        for one, other in zip(found.arrays, expected.arrays, strict=True):
            assert one.tolist() == other.tolist()


def test_values_that_no_rank_has_are_missed():
    (box,) = boxes_of((6, 1), 6)[0]
    with pytest.raises(MpiError) as caught:
        redistributed(InitialValues((), ()), [box], SPACE, Ranks([(box,)], [[[]]]))
    assert str(caught.value) == (
        "A field was set before its simulation was made, which has fewer ranks than the launcher "
        "has started. Set fields after the simulation is made."
    )
