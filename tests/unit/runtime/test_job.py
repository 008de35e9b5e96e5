"""What is done on one rank for all."""

import pytest

from halocline.errors import MpiError, OutputError, PlanError
from halocline.runtime import job as job_module
from halocline.runtime.job import Job, join


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


class Machines:
    """A communicator of four ranks, seen from the first."""

    rank, size = 0, 4

    def py2f(self):
        return 0


@pytest.fixture
def joining(monkeypatch):
    """Return what joins a job of four ranks on the machines given."""

    def join_on(machines, **options):
        monkeypatch.setattr(job_module, "_machines", lambda _: machines)
        made = []
        communicator = Machines()
        loaded = (lambda *arguments: made.append(arguments), communicator)
        monkeypatch.setattr(job_module, "_load_mpi", lambda _: loaded)
        monkeypatch.setattr("sys.excepthook", None)
        return join(communicator, **options), made[0]

    return join_on


def test_nodes_are_machines_or_as_declared_but_never_larger_than_a_machine(joining):
    assert joining([0, 0, 2, 2])[0].nodes == (0, 0, 1, 1)
    assert joining([0, 0, 0, 0], ranks_per_node=3)[0].nodes == (0, 0, 0, 1)
    assert joining([0, 0, 2, 2], ranks_per_node=3)[0].nodes == (0, 0, 1, 2)
    found, _ = joining([0, 0, 0, 0], ranks_per_node=2)
    assert [found.is_near(rank) for rank in range(4)] == [True, True, False, False]
    assert found.ranks_on_node == 4


def test_the_transport_is_told_of_the_link(joining):
    found, arguments = joining([0, 0, 0, 0], ranks_per_node=2, link="L=2,G=3")
    assert arguments == (0, (0, 0, 1, 1), 2.0, 3.0)
    assert found.link.latency_s == 2.0
    assert joining([0, 0, 0, 0])[1] == (0, (0, 0, 0, 0), 0.0, 0.0)


def test_a_link_is_not_emulated_between_machines(joining):
    with pytest.raises(MpiError, match=r"'tcp-ip' was to be emulated, .* 2 machines; expected a"):
        joining([0, 0, 2, 2], link="tcp-ip")


def test_a_node_without_ranks_is_refused():
    with pytest.raises(PlanError, match=r"ranks_per_node=0 was given; expected at least 1"):
        join(ranks_per_node=0)
