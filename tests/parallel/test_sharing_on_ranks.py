"""Blocks of equal size, shared by each rule, have the bits of one block on any ranks."""

from __future__ import annotations

import re

import pytest
from many_ranks import mpi, virtual
from parallel.sharing_on_ranks import by_rule, flow
from small_flows import fingerprint

SHARED = re.compile(
    r"the rank with most work has (.*) times the mean by weight, (.*) by the time of its kernels; "
    r"the heaviest block alone has (.*)"
)


@pytest.fixture(scope="module")
def expected() -> int:
    return fingerprint(flow()[0])


@pytest.mark.parametrize("ranks", [virtual(2), virtual(5), mpi(3)], ids=str)
def test_a_flow_has_the_bits_of_one_block_and_its_report_says_how_it_is_shared(ranks, expected):
    for rule, found in ranks(by_rule).items():
        assert found["bits"] == expected, rule
        assert max(found["blocks"]) > 1, "a rank has several"
        assert sum(found["blocks"]) < found["shared"], "they are joined"
        weighed, timed, heaviest = map(float, SHARED.search(found["report"]).groups())
        assert weighed == pytest.approx(found["imbalance"], abs=6e-4)
        assert timed >= 1
        assert 0 < heaviest < 1
