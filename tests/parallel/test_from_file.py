"""Plans executed from a file give the same bits, in one process and on several ranks."""

import pytest
from many_ranks import mpi, virtual
from parallel.from_file import compare


@pytest.mark.parametrize("ranks", [virtual(1), virtual(2), virtual(3), mpi(2)], ids=str)
def test_a_plan_from_a_file_gives_the_same_bits(ranks, tmp_path):
    assert ranks(compare, str(tmp_path)) == 10
