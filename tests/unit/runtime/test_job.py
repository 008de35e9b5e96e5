"""What is done on one rank for all."""

import pytest

from halocline.errors import OutputError
from halocline.runtime.job import Job


class Ranks:
    """A communicator that records what rank 0 tells the others, or says it to them."""

    size = 2

    def __init__(self, rank, said=None):
        self.rank, self.said = rank, said

    def bcast(self, value):
        if self.rank == 0:
            self.said = value
        return self.said


def job(communicator):
    return Job(communicator.rank, communicator.size, communicator, None, 2)


def test_only_the_first_rank_acts_and_a_mistake_is_raised_on_all():
    def fail():
        raise OutputError("Full.")

    first = Ranks(0)
    assert job(first).on_first(lambda: 7) == 7
    assert job(Ranks(1, first.said)).on_first(fail) is None
    with pytest.raises(OutputError, match="Full"):
        job(first).on_first(fail)
    with pytest.raises(OutputError, match="Full"):
        job(Ranks(1, first.said)).on_first(lambda: 7)


def test_a_bug_on_the_first_rank_lets_the_others_go():
    first = Ranks(0)
    with pytest.raises(ZeroDivisionError):
        job(first).on_first(lambda: 1 / 0)
    with pytest.raises(Exception, match="Rank 0 has failed"):
        job(Ranks(1, first.said)).on_first(lambda: None)
