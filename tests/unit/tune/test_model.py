"""Predicted steps: by hand, and laws that any machine obeys."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from toy import SHARED, US, heat, plan, times, toy

import halocline as hc
from halocline.plan.pipeline import plan_for
from halocline.plan.value import operations as ops
from halocline.tune.machine import MachineError
from halocline.tune.machines import known_machines
from halocline.tune.model import predict_step
from halocline.tune.work import Placement

APART = Placement(1)


def predict(found, machine=None, placement=APART):
    return predict_step(found, machine or toy(), placement)


def computed(nx, ny):
    """Return what a 5-point kernel moves in a box, in lines of 64 bytes [s at 1 GB/s]."""
    lines = -(-(nx + 2) * 8 // 64) * (ny + 2) + -(-nx * 8 // 64) * ny
    return lines * 64 * 1e-9


ROWS = 2 * 64 * 8  # what a rank of two sends: two rows


def test_a_step_without_overlap_by_hand():
    """64x64 cells on two ranks: send, flight, receive, compute, one after the other."""
    p = predict(plan((64, 64)))
    pack = ROWS * 1e-9
    flight = 100 * US + ROWS * 1e-8
    assert p.pack == pytest.approx(2 * pack)
    assert p.overhead == pytest.approx(2 * US)
    assert p.wait == pytest.approx(flight)
    assert p.compute == pytest.approx(computed(64, 32))
    assert p.hidden == pytest.approx(0.0, abs=1e-12)
    assert p.seconds == pytest.approx(2 * pack + 2 * US + flight + computed(64, 32))
    assert p.of("run", "diffuse all") == pytest.approx(computed(64, 32))
    assert p.of("start", "exchange 0") == pytest.approx(pack + US)
    assert p.of("wait", "exchange 0") == pytest.approx(flight + pack + US)


def test_the_core_hides_the_flight_by_hand():
    p = predict(plan((64, 64), overlap="core-first", tiles=1))
    core, rim = computed(64, 30), 2 * computed(64, 1)
    flight = 100 * US + ROWS * 1e-8
    assert p.compute == pytest.approx(core + rim)
    assert p.wait == pytest.approx(flight - core)
    assert p.hidden == pytest.approx(core)


def test_shared_memory_by_hand():
    """The reader copies out of the other's field: no packing, but the copy cannot be hidden."""
    inside = replace(SHARED, overhead_s=0.5 * US)
    p = predict(plan((64, 64), transport="shared"), toy(inside), Placement(2))
    assert p.pack == pytest.approx(ROWS * 1e-9)
    assert p.overhead == pytest.approx(2 * 0.5 * US)
    assert p.wait == pytest.approx(1 * US)
    pushed = predict(plan((64, 64), transport="shared-push"), toy(inside), Placement(2))
    # The source has copied before it counts up; then the target sees it.
    assert pushed.seconds == pytest.approx(p.seconds)
    assert pushed.of("start", "exchange 0") > p.of("start", "exchange 0")


def test_single_values_are_gathered_by_their_owner():
    """Across x each of the two sides is 64 values apart, copied once on either rank."""
    found = plan((64, 64), transport="shared", decomposition=(2, 1))
    p = predict(found, toy(), Placement(2))
    gathered = 2 * 64 * 1e-8
    sides_across_y = 2 * 32 * 8 * 1e-9
    assert p.of("start", "exchange 0") == pytest.approx(gathered + sides_across_y)
    assert p.pack == pytest.approx(2 * gathered + sides_across_y)


def test_messages_that_processors_copy_cannot_be_hidden():
    inside = times("two-sided", same=True, L=1 * US, G=1e-8, processor_byte_s=1e-8)
    kept = predict(plan((64, 64), overlap="core-first", tiles=1), toy(inside), Placement(2))
    assert kept.pack == pytest.approx(2 * ROWS * 1e-9 + ROWS * 1e-8)


@pytest.mark.parametrize("overlap", ["none", "core-first", "rim-first"])
@pytest.mark.parametrize(
    "machine", [m for m in known_machines().values() if not m.device], ids=lambda m: m.name
)
def test_lines_add_up_to_the_step(machine, overlap):
    found = plan((40, 40, 40), ranks=8, overlap=overlap, transport="auto", every=10, check_every=7)
    p = predict_step(found, machine, Placement(4))
    assert sum(line.seconds for line in p.lines) == pytest.approx(p.seconds)
    assert p.seconds > 0
    assert p.of("run", "evaluate_sum all") == 0.0
    assert p.of("check", "T") > 0
    assert f"{p.seconds * 1e6:.1f} us a step: compute" in str(p)


def test_one_rank_needs_no_messages():
    p = predict(plan((64, 64), ranks=1))
    assert (p.wait, p.hidden, p.overhead) == (0.0, 0.0, 0.0)
    assert p.compute == pytest.approx(computed(64, 64))


def test_a_loop_takes_as_often_as_long():
    once = predict(plan((64, 64)))
    for count in (1, 2, 3, 10, 1000):
        p = predict(plan((64, 64), repeat=count))
        assert p.seconds == pytest.approx(count * once.seconds)
        assert p.of("run", "diffuse all") == pytest.approx(count * computed(64, 32))
        assert next(line for line in p.lines if line.kind == "run").count == pytest.approx(count)


def test_what_is_done_now_and_then_takes_a_part():
    once, often, seldom = (predict(plan((64, 64), **k)) for k in ({}, {"every": 1}, {"every": 10}))
    extra = often.seconds - once.seconds
    # The sum reads the field once, and goes up and down a tree of two ranks.
    assert extra == pytest.approx(64 * 32 * 8 * 1e-9 + 2 * (2 * US + 100 * US))
    assert seldom.seconds - once.seconds == pytest.approx(extra / 10)
    assert often.other == pytest.approx(extra)


def any_of(found):
    """Return a plan that runs the lower and upper rim as each message arrives."""
    step = found.steps[0]
    wait = next(
        n
        for n, op in enumerate(step)
        if isinstance(op, ops.Wait) and found.exchanges[op.exchange].sends
    )
    rim = next(op for op in step[wait:] if isinstance(op, ops.Run))
    messages = range(len(found.exchanges[step[wait].exchange].receives))
    arrivals = tuple(
        ops.Arrival((n,), replace(rim, boxes=(box,))) for n, box in zip(messages, rim.boxes)
    )
    steps = (
        *step[:wait],
        ops.WaitAny(step[wait].exchange, arrivals),
        *(op for op in step[wait + 1 :] if op is not rim),
    )
    return replace(found, steps=(steps,))


def test_working_on_whichever_side_arrives_saves_time():
    all_of = plan((64, 96), ranks=3, rank=1, overlap="core-first", tiles=1)
    slow = toy(times(o=0.0, L=200 * US, G=2e-8))
    together, apart = predict(all_of, slow), predict(any_of(all_of), slow)
    assert apart.compute == pytest.approx(together.compute)
    assert apart.pack == pytest.approx(together.pack)
    # While the second message still leaves its sender, the first side is taken in and computed.
    saved = min(64 * 8 * 2e-8, 64 * 8 * 1e-9 + computed(64, 1))
    assert together.seconds - apart.seconds == pytest.approx(saved, rel=1e-6)
    assert apart.of("run", "diffuse rim") == pytest.approx(2 * computed(64, 1))
    assert sum(line.seconds for line in apart.lines) == pytest.approx(apart.seconds)


def test_polls_let_large_messages_move_while_computing():
    meeting = toy(times(o=0.0, L=5 * US, G=1e-8, rendezvous_bytes=512))
    silent = predict(plan((64, 64), overlap="core-first", tiles=1), meeting)
    polled = predict(plan((64, 64), overlap="core-first", tiles=6), meeting)
    assert silent.wait == pytest.approx(5 * US + 5 * US + ROWS * 1e-8, rel=0.2)
    assert polled.wait < 0.2 * silent.wait
    # Small ones move by themselves.
    eager = toy(times(o=0.0, L=5 * US, G=1e-8))
    assert predict(plan((64, 64), overlap="core-first", tiles=1), eager).wait == 0.0


OPTIONS = st.fixed_dictionaries(
    {
        "overlap": st.sampled_from(["none", "core-first", "rim-first"]),
        "neighbours": st.sampled_from(["direct", "staged"]),
        "tiles": st.integers(1, 4),
    }
)
PLANS: dict = {}


def cached(extent, ranks, options):
    key = (extent, ranks, *sorted(options.items()))
    if key not in PLANS:
        PLANS[key] = plan(
            extent, ranks=ranks, rank=ranks // 2, decomposition=(2, ranks // 2), **options
        )
    return PLANS[key]


@given(
    OPTIONS, st.floats(0, 1e-3), st.floats(0, 1e-7), st.floats(0, 1e-3), st.floats(0, 1e-7),
    st.sampled_from([None, 100]),
)  # fmt: skip
def test_more_latency_or_less_bandwidth_is_never_faster(options, L, G, more_L, more_G, rendezvous):
    found = cached((32, 32), 8, options)
    fast, slow = (
        predict(found, toy(times(L=l, G=g, rendezvous_bytes=rendezvous)))
        for l, g in ((L, G), (L + more_L, G + more_G))
    )
    assert slow.seconds >= fast.seconds - 1e-12


@given(OPTIONS, st.floats(1e6, 1e10), st.floats(1.0, 100.0))
def test_a_slower_link_of_the_node_is_never_faster(options, limit, slower):
    found = cached((32, 32), 8, options)
    narrow, wide = (
        predict(found, toy(node_link_bytes_per_s=b), Placement(2)) for b in (limit / slower, limit)
    )
    assert narrow.seconds >= wide.seconds - 1e-12


@given(OPTIONS, st.sampled_from([8, 16, 32, 64]), st.sampled_from([8, 16, 32, 64]))
def test_more_cells_are_never_faster(options, nx, more):
    small, large = cached((nx, 32), 8, options), cached((nx + more, 32), 8, options)
    assert predict(large).seconds >= predict(small).seconds - 1e-12


def test_full_width_sends_more_and_is_not_faster():
    assert predict(plan(width="full")).seconds >= predict(plan()).seconds


def test_one_message_for_each_neighbour_pays_fewer_overheads():
    """Two fields in one message or in two: the second costs o on both sides, if there is one."""
    found = plan((64, 64))
    one = replace(found, steps=found.steps[-1:])
    exchange = one.exchanges[-1]

    def halves(message):
        return tuple(
            replace(message, tag=message.tag + n, parts=message.parts[n : n + 1])
            for n in range(len(message.parts))
        )

    split = replace(
        exchange, sends=halves(exchange.sends[0]), receives=halves(exchange.receives[0])
    )
    two = replace(one, exchanges=(*one.exchanges[:-1], split))
    assert predict(two).overhead == pytest.approx(2 * predict(one).overhead)
    assert predict(two).pack == pytest.approx(predict(one).pack)


@pytest.mark.parametrize("overlap", ["none", "core-first"])
def test_deep_halos_pay_off_where_latency_is_long(overlap):
    slow, fast = toy(times(L=1e-3, G=1e-8)), toy(times(o=0.0, L=1e-9, G=1e-12))
    plans = {depth: plan((32, 64), depth=depth, overlap=overlap) for depth in (1, 2, 4)}
    on_slow = [predict(found, slow).seconds for found in plans.values()]
    on_fast = [predict(found, fast).seconds for found in plans.values()]
    assert on_slow[1] < 0.6 * on_slow[0]
    assert on_slow[2] < 0.6 * on_slow[1]
    # Without overlap only; with it the steps without an exchange have no rim of their own.
    assert overlap == "core-first" or on_fast == sorted(on_fast)


def test_depth_two_has_a_crossover_in_the_size_of_blocks():
    """What is recomputed grows with the block's side, what is saved is half a latency."""
    machine = toy(times(o=0.0, L=2 * US, G=0.0))
    gains = []
    for side in (16, 64, 256, 1024):
        shallow, deep = (predict(plan((side, side * 2), depth=depth), machine) for depth in (1, 2))
        gains.append(shallow.seconds - deep.seconds)
    assert gains[0] > 0 > gains[-1]
    assert gains == sorted(gains, reverse=True)


def test_both_steps_of_a_round_count():
    p = predict(plan((64, 64), depth=2))
    assert p.compute == pytest.approx((computed(64, 34) + computed(64, 32)) / 2)
    assert p.of("run", "diffuse all") == pytest.approx(p.compute)
    assert p.overhead == pytest.approx(2 * US / 2)


def test_a_wait_in_the_next_step_is_hidden_by_what_lies_between():
    """As with postponed waits: started at the end of a step, waited for in the next one."""
    *local, start, wait, run = plan((64, 64)).steps[0]
    late = replace(plan((64, 64)), steps=((wait, *local, run, start),))
    p = predict(late)
    assert p.wait == pytest.approx(100 * US + ROWS * 1e-8)
    between = replace(plan((64, 64)), steps=((start, *local, run, wait),))
    assert predict(between).hidden == pytest.approx(computed(64, 32))


def test_more_threads_are_not_slower_and_a_full_node_is_slower_than_an_empty_one():
    generic = known_machines()["generic"]
    found = plan((256, 256, 64), ranks=8, transport="auto")
    one, four = (predict_step(found, generic, Placement(1, threads=n)) for n in (1, 4))
    assert four.compute < one.compute
    packed = predict_step(found, generic, Placement(8))
    assert packed.compute > one.compute


def test_hybrid_ranks_have_fewer_messages():
    grid, steps = heat((128, 128))
    generic = known_machines()["generic"]
    plans = {
        n: plan_for(grid, steps, ranks=n, strategy=hc.Strategy(transport="two-sided"))
        for n in (4, 16)
    }
    many = predict_step(plans[16], generic, Placement(4))
    few = predict_step(plans[4], generic, Placement(1, threads=4))
    assert few.pack / 4 < many.pack


def test_a_plan_needs_the_machine_to_know_its_transport():
    with pytest.raises(MachineError, match="no times of transport 'shared' between nodes"):
        predict(plan(transport="shared"))
    assert predict_step(plan(transport="auto"), toy()).wait == pytest.approx(1 * US)
