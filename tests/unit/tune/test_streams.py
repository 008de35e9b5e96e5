"""Steps on devices: by hand, and laws that any device obeys."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from test_model import any_of
from toy import US, decided_for, times, toy, toy_device
from toy import plan_for_devices as plan

from halocline.plan.value import operations as ops
from halocline.tune.device_work import DeviceWork
from halocline.tune.machine import MachineError
from halocline.tune.machines import known_machines
from halocline.tune.model import predict_step
from halocline.tune.work import Placement

APART = Placement(1)
# What a rank of two sends: two rows of 64 values, read from the field and written to the message.
ROWS = 2 * 64 * 8
PACKING = 2 * ROWS * 1e-9
TO_HOST = 10 * US + ROWS * 1e-9


def predict(found, machine=None, placement=APART):
    return predict_step(found, machine or toy_device(), placement)


def computed(nx, ny):
    """Return what a 5-point kernel moves in a box, in sectors of 32 bytes [s at 1 GB/s]."""
    sectors = -(-(nx + 2) * 8 // 32) * (ny + 2) + -(-nx * 8 // 32) * ny
    return sectors * 32 * 1e-9


def test_a_staged_step_by_hand():
    """Pack, to the host, across, to the device, unpack, compute: one after the other."""
    p = predict(plan((64, 64)))
    flight = 100 * US + ROWS * 1e-8
    assert p.compute == pytest.approx(computed(64, 32))
    assert p.pack == pytest.approx(2 * (PACKING + TO_HOST))
    assert p.wait == pytest.approx(2 * US + flight)
    assert p.overhead == pytest.approx(0.0)
    assert p.seconds == pytest.approx(p.compute + p.pack + p.wait)
    assert p.hidden == pytest.approx(0.0, abs=1e-12)
    assert p.of("wait", "exchange 0") == pytest.approx(p.pack + p.wait)
    assert p.of("run", "diffuse all") == pytest.approx(p.compute)


def test_messages_out_of_device_memory_by_hand():
    p = predict(plan((64, 64)), toy_device(messages="from-device"))
    assert p.pack == pytest.approx(2 * PACKING)
    assert p.wait == pytest.approx(2 * US + 50 * US + ROWS * 1e-8)


def test_peer_copies_inside_a_node_and_messages_between_nodes():
    peers = toy_device(messages="peer", per_node=2)
    inside = predict(plan((64, 64)), peers, Placement(2))
    assert inside.wait == pytest.approx(2 * US + 2 * US + ROWS * 1e-9)
    between = predict(plan((64, 64)), peers, Placement(1))
    assert between.seconds == predict(plan((64, 64)), toy_device(messages="from-device")).seconds


def test_copies_of_boxes_cost_a_latency_each_part():
    p = predict(plan((64, 64)), toy_device(messages="box-copies"))
    # Two rows, each a part of its own: no packing.
    assert p.pack == pytest.approx(2 * (2 * 10 * US + 2 * 1e-8 + ROWS * 1e-9))


def test_the_core_hides_packing_copies_and_flight():
    # A message of 64 us beside a core of 400.
    near = toy_device(times(L=20 * US, G=0.0))
    p = predict(plan((256, 256), overlap="core-first", tiles=1), near)
    core, rim = computed(256, 126), 2 * computed(256, 1)
    assert p.compute == pytest.approx(core + rim)
    assert (p.pack, p.wait) == (0.0, 0.0)
    sent = 4 * ROWS * 1e-9
    exchange = 2 * (2 * sent + 10 * US + sent) + 20 * US + 2 * US
    assert p.hidden == pytest.approx(exchange)


def test_single_values_across_x_bring_whole_sectors():
    machine = toy_device(messages="from-device")
    found = decided_for(plan((64, 64), decomposition=(2, 1), ranks=2), machine, APART)
    work = DeviceWork(found, machine)
    sent = found.exchanges[-1].sends[0]
    (packing,) = work.packing_s([sent])
    assert packing == pytest.approx(2 * 64 * (32 + 8) * 1e-9)
    assert work.copy_s(sent.parts) == pytest.approx(2 * 64 * (32 + 32) * 1e-9)


def test_a_late_host_keeps_the_device_waiting():
    run = computed(64, 64)
    early, late = (
        predict(plan((64, 64), ranks=1), toy_device(enqueue_s=s)) for s in (run / 10, 3 * run)
    )
    assert early.overhead == pytest.approx(0.0, abs=run / 5)
    # The kernel, and the kernel that copies between the periodic sides.
    assert late.seconds == pytest.approx(6 * run)


def test_every_box_is_a_launch():
    found = plan((64, 64), overlap="core-first", tiles=3)
    boxes = sum(len(op.boxes) for op in ops.walk(found.steps[0]) if isinstance(op, ops.Run))
    free, dear = (predict(found, toy_device(start_s=s)) for s in (0.0, 5 * US))
    assert dear.overhead - free.overhead == pytest.approx(boxes * 5 * US)


def test_arithmetic_bounds_by_the_type_of_values():
    found = plan((64, 64))
    run = next(op for op in found.operations() if isinstance(op, ops.Run))
    (_, box), *_ = run.boxes
    single = DeviceWork(found, toy_device(float32_per_s=1.0)).compute_s(run.launch, box)
    double = DeviceWork(found, toy_device(float64_per_s=1.0)).compute_s(run.launch, box)
    assert single < 1 < double


def test_working_on_whichever_side_arrives_is_not_slower():
    found = plan((64, 96), ranks=3, rank=1, overlap="core-first", tiles=1)
    slow = toy_device(times(o=0.0, L=200 * US, G=2e-8))
    together, apart = predict(found, slow), predict(any_of(found), slow)
    assert apart.compute == pytest.approx(together.compute)
    assert apart.seconds < together.seconds
    assert sum(line.seconds for line in apart.lines) == pytest.approx(apart.seconds)


def test_a_loop_takes_as_often_as_long():
    once = predict(plan((64, 64)))
    for count in (1, 3, 100):
        assert predict(plan((64, 64), repeat=count)).seconds == pytest.approx(count * once.seconds)


def test_a_sum_now_and_then_is_fetched_by_the_host():
    once, often = (predict(plan((64, 64), **k)) for k in ({}, {"every": 1}))
    expected = 64 * 32 * 8 * 1e-9 + 10 * US + 2 * (2 * US + 100 * US)
    assert often.other == pytest.approx(expected)
    assert often.seconds - once.seconds == pytest.approx(expected)


OPTIONS = st.fixed_dictionaries(
    {
        "overlap": st.sampled_from(["none", "core-first", "rim-first", "postponed"]),
        "neighbours": st.sampled_from(["direct", "staged"]),
        "tiles": st.integers(1, 3),
    }
)
WAYS = st.sampled_from(["box-copies", "via-host", "from-device", "peer"])
NODES = Placement(4)
PLANS: dict = {}


def cached(options, extent=(32, 32)):
    key = (extent, *sorted(options.items()))
    if key not in PLANS:
        PLANS[key] = plan(extent, ranks=8, rank=4, decomposition=(2, 4), **options)
    return PLANS[key]


@given(OPTIONS, WAYS, st.floats(1.0, 1e3))
def test_more_bandwidth_is_never_slower(options, way, factor):
    slow = toy_device(messages=way, per_node=4, start_s=2 * US, enqueue_s=1 * US)
    fast = replace(slow, device=replace(slow.device, bytes_per_s=factor * 1e9))
    found = cached(options)
    assert predict(found, fast, NODES).seconds <= predict(found, slow, NODES).seconds + 1e-12


@given(OPTIONS, st.floats(0, 1e-3), st.floats(0, 1e-7))
def test_messages_from_the_device_are_never_slower_than_staged_ones_over_the_same_link(
    options, L, G
):
    alike = [times(name, same=s, L=L, G=G) for name in ("two-sided", "from-device") for s in (0, 1)]
    machines = (toy_device(*alike, messages=way, per_node=4) for way in ("from-device", "via-host"))
    device, staged = (predict(cached(options), m, NODES).seconds for m in machines)
    assert device <= staged + 1e-12


@given(WAYS, st.sampled_from([32, 64, 128]))
def test_hiding_is_never_slower_where_launches_cost_nothing(way, side):
    machine = toy_device(messages=way, per_node=4)
    waiting, hiding = (
        plan((side, side), ranks=8, rank=4, overlap=o, tiles=1) for o in ("none", "core-first")
    )
    before, after = (predict(found, machine, NODES) for found in (waiting, hiding))
    # The rim reads again what lies beside it.
    reread = after.compute - before.compute
    assert after.seconds <= before.seconds + reread + 1e-12


@given(WAYS)
def test_a_device_without_end_of_speed_leaves_latencies(way):
    kinds = ("two-sided", "from-device", "peer")
    links = [times(name, same=True, o=0.0, L=7 * US, G=0.0) for name in kinds]
    machine = toy_device(*links, messages=way, per_node=4, bytes_per_s=1e30)
    device = machine.device
    machine = replace(
        machine,
        device=replace(
            device,
            host_copies=replace(device.host_copies, bytes_per_s=1e30),
            box_copies=replace(device.box_copies, bytes_per_s=1e30, row_s=0.0),
        ),
    )
    found = plan((64, 64))
    parts = len(found.exchanges[-1].sends[0].parts)
    copies = {"box-copies": 2 * parts * 10 * US, "via-host": 2 * 10 * US}.get(way, 0.0)
    assert predict(found, machine, NODES).seconds == pytest.approx(7 * US + copies, rel=1e-6)


@given(OPTIONS)
def test_all_bytes_of_the_plan_are_carried(options):
    """Where packing costs nothing, copies to the host take what is sent, in bytes."""
    machine = toy_device(bytes_per_s=1e30)
    found = decided_for(cached(options), machine, APART)
    work = DeviceWork(found, machine)
    sends = [
        m for op in found.operations() if isinstance(op, ops.Start)
        for m in found.exchanges[op.exchange].sends
    ]  # fmt: skip
    carried = sum(sum(work.copying_s(m)) - 10 * US for m in sends)
    assert carried == pytest.approx(len(found.steps) * found.bytes_sent() * 1e-9)


@pytest.mark.parametrize("overlap", ["none", "core-first", "rim-first", "postponed"])
@pytest.mark.parametrize(
    "machine", [m for m in known_machines().values() if m.device], ids=lambda m: m.name
)
def test_lines_add_up_to_the_step(machine, overlap):
    ranks = {"h100": 1, "nvlink-8": 8}.get(machine.name, 16)
    found = plan((48, 48, 48), ranks=ranks, decomposition=None, overlap=overlap, every=10)
    p = predict_step(found, machine)
    assert sum(line.seconds for line in p.lines) == pytest.approx(p.seconds)
    assert p.seconds > 0


@pytest.mark.parametrize(
    ("machine", "way", "message"),
    [
        (toy(), "via-host", "Device messages 'via-host' were asked for, but machine 'toy'"),
        (
            toy_device(),
            "pigeon",
            "no device messages 'pigeon'. Known are: box-copies, from-device, peer",
        ),
        (toy_device(times()), "peer", "Machine 'toy' has no times of device messages 'peer'"),
        (toy_device(box_copies=None), "box-copies", "has no times of device messages 'box-copies'"),
    ],
)
def test_ways_that_a_machine_does_not_have_are_refused(machine, way, message):
    with pytest.raises(MachineError, match=message):
        machine.with_device_messages(way)


@pytest.mark.parametrize(
    ("options", "placement", "message"),
    [
        ({}, Placement(3), "3 ranks a node were asked for; machine 'toy' has 2 devices a node"),
        ({}, Placement(2, threads=4), "4 threads a rank were asked for; on machine 'toy' devices"),
        ({"transport": "put"}, APART, "Transport 'put' was asked for; machine 'toy' has devices"),
    ],
)
def test_what_makes_no_sense_with_devices_is_refused(options, placement, message):
    with pytest.raises(MachineError, match=message):
        predict(plan((64, 64), **options), toy_device(per_node=2), placement)
