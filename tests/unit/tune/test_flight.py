"""Messages in flight: departures, shared links, rendezvous."""

import pytest
from toy import SHARED, US, decided_for, plan, times, toy

from halocline.plan.value import operations as ops
from halocline.tune.flight import Flight, Network, Route
from halocline.tune.work import Placement

MESSAGE = plan((64, 64)).exchanges[-1].sends[0]


def flight(rendezvous, departed=0.0, L=10.0):
    t = times(L=L, G=1.0, rendezvous_bytes=0 if rendezvous else None)
    route = Route(MESSAGE, "two-sided", 5, t, is_same_node=False, busy_s=0.0)
    due = departed + (L if rendezvous else L + 5)
    return Flight(route, departed, due, 2 if rendezvous else 0, L + 5.0)


def test_a_small_message_arrives_by_itself():
    one = flight(rendezvous=False)
    one.poll(3.0)
    assert one.arrival(0.0) == one.arrival(100.0) == 15.0


def test_a_rendezvous_without_calls_takes_place_at_the_wait():
    # Announced at 10; waiting from 30: answered at once, 10 back, 15 for the data.
    assert flight(rendezvous=True).arrival(30.0) == 30 + 10 + 15
    assert flight(rendezvous=True).arrival(0.0) == 10 + 10 + 15


def test_calls_move_a_rendezvous_on():
    one = flight(rendezvous=True)
    one.poll(5.0)
    assert one.calls == 2
    one.poll(12.0)
    one.poll(15.0)
    assert (one.calls, one.due) == (1, 22.0)
    one.poll(25.0)
    assert (one.calls, one.due) == (0, 40.0)
    one.poll(30.0)
    assert one.arrival(100.0) == 40.0


@pytest.mark.parametrize("polls", [[], [11.0], [11.0, 22.0], [5.0, 11.0, 22.0, 23.0]])
def test_polls_never_make_a_message_later(polls):
    silent, polled = flight(rendezvous=True), flight(rendezvous=True)
    for clock in polls:
        polled.poll(clock)
    assert polled.arrival(30.0) <= silent.arrival(30.0)


def chain(ranks, per_node, rank, machine, extent=(16, 16, 16)):
    """Return the network of a rank in a row of blocks cut along x only, two sides each."""
    found = plan(extent, ranks=ranks, rank=rank, decomposition=(ranks, 1, 1))
    position = next(n for n, e in enumerate(found.exchanges) if e.sends)
    where = Placement(per_node)
    return Network(decided_for(found, machine, where), machine, where), position


def test_ranks_on_a_node_talk_without_the_link():
    network, position = chain(4, 4, 1, toy(node_link_bytes_per_s=1e9))
    sends, receives = network.routes(position)
    assert all(route.is_same_node for route in (*sends, *receives))
    assert network.link_s(position) == 0.0


def test_all_messages_that_leave_a_node_share_its_link():
    machine = toy(node_link_bytes_per_s=1e9)
    side = 16 * 16 * 8
    # A chain of four on the node: only its two ends have a neighbour elsewhere.
    network, position = chain(8, 4, 1, machine)
    assert network.link_s(position) == pytest.approx(2 * side / 1e9)
    # One rank a node: both its sides.
    network, position = chain(8, 1, 1, machine)
    assert network.link_s(position) == pytest.approx(2 * side / 1e9)
    assert chain(8, 4, 1, toy())[0].link_s(position) == 0.0


def test_a_chain_of_ranks_has_4_p_plus_2_messages_to_other_nodes():
    """The count of paper 000, section 5.7: a node's blocks form a chain."""
    for p in (2, 4, 8):
        shape = (2 * p, 4, 4)
        found = plan(
            (4 * p, 8, 8),
            ranks=2 * p * 16,
            rank=2 * p * 5,
            neighbours="staged",
            decomposition=shape,
        )
        network = Network(found, toy(node_link_bytes_per_s=1.0), Placement(p))
        started = (op.exchange for op in ops.walk(found.steps[0]) if isinstance(op, ops.Start))
        remote = [n for n in started if found.exchanges[n].sends]
        side = 2 * 2 * 8
        messages = sum(network.link_s(n) for n in remote) / side
        assert messages == pytest.approx(4 * p + 2, rel=0.01)


def test_messages_of_a_rank_leave_one_after_the_other():
    machine = toy(times(o=0.0, L=5 * US, G=1e-8), times("two-sided", same=True))
    network, position = chain(8, 1, 1, machine)
    side_s = 16 * 16 * 8 * 1e-8
    arrivals = sorted(f.due for f in network.flights(position, [1 * US, 1 * US], 0.0))
    assert arrivals == pytest.approx([1 * US + side_s + 5 * US, 1 * US + 2 * side_s + 5 * US])


def test_the_gap_keeps_messages_apart():
    machine = toy(times(o=0.0, g=7 * US, L=5 * US, G=0.0), times("two-sided", same=True))
    network, position = chain(8, 1, 1, machine)
    departed = sorted(f.departed for f in network.flights(position, [1 * US, 2 * US], 0.0))
    assert departed == pytest.approx([1 * US, 8 * US])


def test_the_link_delays_only_what_crosses_it():
    free = toy(times(o=0.0, L=5 * US, G=1e-9), times("two-sided", same=True))
    shared = toy(*free.transports, node_link_bytes_per_s=1e6)
    arrivals = []
    for machine in (free, shared):
        network, position = chain(8, 4, 0, machine)
        flights = network.flights(position, [0.0, 0.0], 0.0)
        arrivals.append({f.route.is_same_node: f.arrival(0.0) for f in flights})
    side = 16 * 16 * 8
    # Of rank 0's neighbours one is on its node; the node has two messages to others.
    assert arrivals[0] == {
        True: pytest.approx(side * 1e-8 + 100 * US),
        False: pytest.approx(side * 1e-9 + 5 * US),
    }
    assert arrivals[1] == {
        True: arrivals[0][True],
        False: pytest.approx(2 * side / 1e6 + 5 * US),
    }


def test_messages_inside_a_node_share_what_it_can_copy():
    inside = times("two-sided", same=True, G=1e-9, processor_byte_s=1e-9)
    side = 16 * 16 * 8
    for limit, busy in ((None, 1e-9), (1e10, 1e-9), (1e9, 4e-9)):
        machine = toy(times(), inside, SHARED, node_copy_bytes_per_s=limit)
        network, position = chain(4, 4, 0, machine)
        assert network.routes(position)[0][0].busy_s == pytest.approx(side * busy)


def test_work_at_messages_is_shared_between_both_ends():
    t = times("two-sided", same=True, processor_byte_s=1.0, rendezvous_bytes=100)
    small, large = (
        Route(MESSAGE, "two-sided", n, t, is_same_node=True, busy_s=6.0) for n in (100, 101)
    )
    assert (small.send_busy_s, small.receive_busy_s) == (3.0, 3.0)
    assert (large.send_busy_s, large.receive_busy_s) == (0.0, 6.0)
    pulled = Route(MESSAGE, "shared", 100, SHARED, is_same_node=True, busy_s=6.0)
    assert pulled.is_pulled
    assert (pulled.send_busy_s, pulled.receive_busy_s) == (0.0, 0.0)
