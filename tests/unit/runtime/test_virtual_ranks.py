"""Virtual ranks do what MPI ranks do, in one process; nothing hangs where one of them fails."""

from __future__ import annotations

import signal
import threading
import time

import numpy as np
import pytest
from unit.runtime.ranks import on_ranks

import halocline as hc
from halocline.errors import DivergedError, HaloclineError, MpiError, PlanError
from halocline.plan import pipeline
from halocline.runtime.job import join


def heated(steps=4, extra=(), **options):
    """Return what runs heat on a ring, and its values on rank 0."""

    @hc.kernel
    def spread(T, T_new):
        T_new[0, 0] = 0.5 * T[0, 0] + 0.25 * (T[1, 0] + T[-1, 0])

    def run():
        grid = hc.Grid((12, 4), periodic=True)
        T, T_new = grid.field("T"), grid.field("T_new")
        T.set(lambda x, y: np.sin(x) + y)
        made = [make(T) for make in extra]
        simulation = hc.Simulation(grid, [spread(T, T_new), hc.swap(T, T_new), *made], **options)
        simulation.run(steps, progress=False)
        return T.gather(), str(simulation.report())

    return run


@pytest.mark.parametrize("transport", ["shared", "shared-push", "two-sided"])
@pytest.mark.parametrize("overlap", ["none", "core-first", "rim-first"])
def test_ranks_have_the_bits_of_one(transport, overlap):
    alone, _ = heated()()
    strategy = hc.Strategy(transport=transport, overlap=overlap, poison=True)
    (first, _), *others = hc.on_virtual_ranks(3, heated(strategy=strategy))
    assert first.tobytes() == alone.tobytes()
    assert [values for values, _ in others] == [None, None]


@pytest.mark.parametrize("transport", ["via-host", "box-copies"])
def test_ranks_with_emulated_devices_have_the_bits_of_one(transport):
    alone, _ = heated()()
    made = heated(strategy=hc.Strategy(transport=transport, poison=True), device="emulated:3")
    assert hc.on_virtual_ranks(2, made)[0][0].tobytes() == alone.tobytes()


def test_nodes_and_links_are_declared_as_with_mpi():
    alone, _ = heated()()
    (values, report), *_ = hc.on_virtual_ranks(4, heated(ranks_per_node=2, link="L=1e-4,G=0"))
    assert values.tobytes() == alone.tobytes()
    assert "for want of times: virtual ranks share the processors of one" in report


def test_what_plans_of_ranks_have_in_common_is_found_once(monkeypatch):
    made = []
    known = pipeline.make_schedule

    def making(*what, **how):
        made.append(what)
        return known(*what, **how)

    monkeypatch.setattr(pipeline, "make_schedule", making)
    hc.on_virtual_ranks(3, heated(strategy=hc.Strategy()))
    assert len(made) == 1


def test_what_a_launcher_has_started_does_not_matter(monkeypatch):
    alone, _ = heated()()
    monkeypatch.setenv("PMI_RANK", "1")
    monkeypatch.setenv("PMI_SIZE", "5")
    for ranks in (1, 2):
        made = heated(strategy=hc.Strategy(poison=True))
        assert hc.on_virtual_ranks(ranks, made)[0][0].tobytes() == alone.tobytes()


def test_ranks_evaluate_functions_in_cells_of_their_own_before_there_is_a_simulation():
    def cells():
        T = hc.Grid((12, 4)).field("T")
        seen = []
        T.set(lambda x, y: seen.append(x.size) or x + y)
        return seen

    assert hc.on_virtual_ranks(3, cells) == [[4]] * 3


def test_a_single_virtual_rank_is_a_process_alone():
    assert hc.on_virtual_ranks(1, lambda: join().size) == [1]


def test_ranks_one_after_the_other_keep_nothing_of_each_other():
    for ranks in (2, 4, 3):
        assert hc.on_virtual_ranks(ranks, lambda: join().size) == [ranks] * ranks


def test_a_mistake_of_all_ranks_is_raised_once_and_leaves_no_thread():
    before = threading.active_count()
    with pytest.raises(PlanError, match="60 ranks with 1 block"):
        hc.on_virtual_ranks(60, heated())
    assert threading.active_count() == before


def test_a_function_that_fails_on_one_rank_ends_the_others():
    def spoil(T):
        def cold():
            if join().rank == 1:
                raise ValueError("the coffee is cold")

        return hc.every(2, cold)

    with pytest.raises(ValueError, match="the coffee is cold"):
        hc.on_virtual_ranks(3, heated(extra=[spoil]))


def test_a_rank_that_does_not_come_to_a_run_ends_the_others_in_time():
    def act(job):
        run = heated(strategy=hc.Strategy(transport="two-sided"))
        return None if job.rank == 2 else run()

    started = time.perf_counter()
    with pytest.raises(MpiError, match="the end of the program"):
        hc.on_virtual_ranks(3, lambda: act(join()))
    assert time.perf_counter() - started < 10


def test_who_waits_for_messages_of_a_rank_that_was_interrupted_is_told():
    def press(T):
        def key():
            if join().rank == 1:
                raise KeyboardInterrupt

        return key

    with pytest.raises(KeyboardInterrupt):
        hc.on_virtual_ranks(2, heated(extra=[press]))


def test_a_key_that_is_pressed_ends_all_ranks():
    def wait_in_vain():
        job = join()
        job.everywhere(0)
        if job.rank == 0:
            # The main thread waits by then. Before, it might notice the key in the callback of a
            # search for unused cycles, and exceptions there are ignored.
            time.sleep(0.1)
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
            job.process.wait_until(lambda: False)
        job.everywhere(0)

    before = threading.active_count()
    # Shells let what runs in the background ignore the key.
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            hc.on_virtual_ranks(3, wait_in_vain)
    finally:
        signal.signal(signal.SIGINT, handler)
    deadline = time.perf_counter() + 5
    while threading.active_count() > before:
        assert time.perf_counter() < deadline
        time.sleep(0.01)


def test_values_that_are_not_numbers_stop_all_ranks_with_one_message():
    @hc.kernel
    def overflow(T):
        T[0, 0] = T[0, 0] * 1e300 * 1e300 - T[0, 0] * 2e300 * 1e300

    with pytest.raises(DivergedError, match="Field 'T' is not a number in cell"):
        hc.on_virtual_ranks(2, heated(extra=[overflow], check_every=1))


@pytest.mark.parametrize("transport", ["persistent", "datatype", "put", "get"])
def test_what_only_mpi_does_is_refused(transport):
    with pytest.raises(PlanError, match=f"transport='{transport}', which .* have no MPI"):
        hc.on_virtual_ranks(2, heated(strategy=hc.Strategy(transport=transport)))


@pytest.mark.parametrize("ranks", [0, -1, 2.5, "4"])
def test_a_number_of_ranks_that_is_none_is_refused(ranks):
    with pytest.raises(HaloclineError, match=r"'ranks' was given .*; expected a whole number"):
        hc.on_virtual_ranks(ranks, heated())


def test_ranks_that_were_given_different_numbers_are_told():
    def different():
        return heated(check_every=join().rank)()

    with pytest.raises(MpiError, match="'check_every'"):
        hc.on_virtual_ranks(2, different)


def test_messages_between_ranks_arrive_in_order():
    def act(job):
        communicator = job.communicator
        other = 1 - job.rank
        found = []
        for number in range(3):
            communicator.Send(np.full(2, 10 * job.rank + number, "uint8"), dest=other)
        for _ in range(3):
            place = np.zeros(2, "uint8")
            communicator.Irecv(place, source=other).Wait()
            found.append(int(place[1]))
        return found, communicator.bcast(job.rank + 5), communicator.gather(job.rank)

    assert on_ranks(2, act) == [([10, 11, 12], 5, [0, 1]), ([0, 1, 2], 5, None)]
