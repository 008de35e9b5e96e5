"""What computing and packing cost a rank."""

import re
from pathlib import Path

import pytest
from toy import SHARED, heat, plan, times, toy, toy_device

import halocline as hc
from halocline.analysis.cost import cost
from halocline.geometry import box_of
from halocline.plan.pipeline import plan_for
from halocline.plan.value import operations as ops
from halocline.tune import work as work_module
from halocline.tune.device_work import DeviceWork
from halocline.tune.machine import KernelRate, MachineError, Overheads, Packing, kernel_key
from halocline.tune.work import Placement, Work

ONE = Placement(1)
CPP = Path(__file__).parents[3] / "cpp"


def kernel(extent):
    return heat(extent)[1][0].kernel


def first_run(found):
    return next(op for op in found.operations() if isinstance(op, ops.Run))


def test_traffic_counts_streams_lines_and_what_is_read_around_a_box():
    needed = cost(kernel((8, 8)))
    assert needed.streams == 2
    # Rows of 64 + 2 values read from 10 lines' neighbourhood, rows of 64 written.
    assert needed.box_bytes(box_of((64, 10)), 64) == 12 * 64 * 9 + 10 * 64 * 8
    # A column of single values costs a line a value, read and written.
    assert needed.box_bytes(box_of((1, 100)), 64) == 102 * 64 + 100 * 64
    assert cost(kernel((8, 8, 8))).box_bytes(box_of((8, 1, 1)), 64) == 3 * 3 * 128 + 64


def test_ranks_of_a_node_share_the_memory_and_threads_of_a_rank_use_it():
    found = plan((64, 64), ranks=4)
    alone = Work(found, toy(), ONE).bandwidth(2)
    assert alone == pytest.approx(1e9)
    assert Work(found, toy(), Placement(1, threads=4)).bandwidth(2) == pytest.approx(4e9)
    saturated = toy(copies=toy().copies[:1])
    assert Work(found, saturated, Placement(4)).bandwidth(2) == pytest.approx(0.25e9)
    # Only said to be on different nodes.
    said = Placement(1, ranks_sharing_memory=4)
    assert Work(found, saturated, said).bandwidth(2) == pytest.approx(0.25e9)


def test_arithmetic_bounds_a_kernel_where_it_takes_longer():
    found = plan((64, 64), ranks=2)
    run = first_run(found)
    flops = cost(found.launches[run.launch].kernel).flops
    slow = toy(flops_per_s=1e6)
    assert Work(found, slow, ONE).compute_s(run) == pytest.approx(64 * 32 * flops / 1e6)
    assert Work(found, slow, Placement(1, threads=2)).compute_s(run) == pytest.approx(
        64 * 32 * flops / 2e6
    )


def test_a_kernel_that_was_measured_has_its_own_rate():
    found = plan((64, 64), ranks=2)
    run = first_run(found)
    key = kernel_key(found.launches[run.launch].kernel)
    usual = Work(found, toy(), ONE).compute_s(run)
    slower = Work(found, toy(kernels=(KernelRate(key, 1e6, 0.5),)), ONE).compute_s(run)
    assert slower == pytest.approx(2 * usual)


def test_overheads_of_launches_boxes_rows_and_threads():
    found = plan((64, 64), ranks=2)
    run = first_run(found)
    machine = toy(overheads=Overheads(1.0, 10.0, 100.0, 1000.0))
    assert Work(found, machine, ONE).overhead_s(run) == 1 + 10 + 32 * 100
    two = Placement(1, threads=2)
    assert Work(found, machine, two).overhead_s(run) == 1 + 10 + 16 * 100 + 1000


def test_more_ranks_than_cores_take_turns():
    found = plan((64, 64), ranks=8)
    run, sent = first_run(found), [p for m in found.exchanges[-1].sends for p in m.parts]
    busy = toy(flops_per_s=1e6, overheads=Overheads(1.0, 1.0, 1.0, 1.0))
    four, eight = (Work(found, busy, Placement(1, ranks_sharing_memory=ranks)) for ranks in (4, 8))
    assert eight.compute_s(run) == pytest.approx(2 * four.compute_s(run))
    assert eight.overhead_s(run) == pytest.approx(2 * four.overhead_s(run))
    assert eight.pack_s(sent) == pytest.approx(2 * four.pack_s(sent))


def parts(axis):
    """Return what a rank of a 16x16x16 grid sends across one axis: 256 values each way."""
    shape = tuple(2 if a == axis else 1 for a in range(3))
    found = plan((16, 16, 16), ranks=2, decomposition=shape)
    started = [op.exchange for op in ops.walk(found.steps[0]) if isinstance(op, ops.Start)]
    return found, [p for n in started for m in found.exchanges[n].sends for p in m.parts]


@pytest.mark.parametrize(
    ("axis", "seconds"),
    [
        (0, 2 * 256 * 1e-8),
        # Rows of 16 values: 128 bytes, longer than one strided value takes.
        (1, 2 * 16 * (5e-9 + 128 * 1e-9)),
        (2, 2 * 16 * (5e-9 + 128 * 1e-9)),
    ],
)
def test_packing_depends_on_the_orientation(axis, seconds):
    found, sent = parts(axis)
    work = Work(found, toy(packing=Packing(1e-8, 5e-9, 1e-9, 0.0)), ONE)
    assert work.pack_s(sent) == pytest.approx(seconds)
    direct = 2 * seconds if axis == 0 else seconds
    assert work.copy_s(sent) == pytest.approx(direct)


def test_a_side_across_the_unit_stride_axis_costs_more():
    costs = []
    for axis in range(3):
        found, sent = parts(axis)
        costs.append(Work(found, toy(packing=Packing(1e-8, 5e-9, 1e-10, 0.0)), ONE).pack_s(sent))
    assert costs[0] > 5 * costs[1]
    assert costs[1] == costs[2]


def test_each_box_that_is_copied_costs_something_of_its_own():
    found, sent = parts(1)
    free, dear = (
        Work(found, toy(packing=Packing(1e-8, 5e-9, 1e-9, box_s)), ONE) for box_s in (0.0, 3e-8)
    )
    assert dear.copy_s(sent) - free.copy_s(sent) == pytest.approx(len(sent) * 3e-8)
    assert dear.pack_s(sent) - free.pack_s(sent) == pytest.approx(len(sent) * 3e-8)


def test_large_boxes_are_packed_by_all_threads():
    found = plan((4, 1 << 14), ranks=2, decomposition=(2, 1))
    sent = [p for e in found.exchanges for m in e.sends for p in m.parts]
    one, two = (Work(found, toy(), Placement(1, threads=n)).pack_s(sent) for n in (1, 2))
    assert one == pytest.approx(2 * two)


@pytest.mark.skipif(not CPP.is_dir(), reason="needs the source tree")
@pytest.mark.parametrize(
    ("name", "file", "number"),
    [
        ("parallel_bytes", "core/threads.hpp", work_module._PARALLEL_BYTES),
        ("thin_row_bytes", "transport/shared.cpp", work_module._THIN_ROW_BYTES),
    ],
)
def test_the_model_knows_the_numbers_of_the_runtime(name, file, number):
    said = re.search(rf"{name} = (std::int64_t\{{1\}} << )?(\d+);", (CPP / file).read_text())
    is_power, digits = said.groups()
    assert number == (1 << int(digits) if is_power else int(digits))


def test_consecutive_ranks_share_a_node():
    placement = Placement(4)
    assert [placement.node(rank) for rank in (0, 3, 4, 11)] == [0, 0, 1, 2]
    assert placement.ranks_beside(5, 100) == range(4, 8)
    assert placement.ranks_beside(9, 10) == range(8, 10)
    assert Placement.full(toy(), 100) == Placement(4)
    assert Placement.full(toy(), 2) == Placement(2)
    assert Placement.full(toy(), 100, threads=2) == Placement(2, 2)


def test_a_placement_without_ranks_is_refused():
    with pytest.raises(MachineError, match="0 ranks a node with 1 threads each were asked for"):
        Placement(0)


def test_the_working_set_is_what_the_step_uses():
    found = plan((64, 64), ranks=2)
    # T and T_new, 64 x 32 and a halo around both, since they are swapped.
    assert Work(found, toy(times(), SHARED), ONE).bytes_per_thread == 2 * 8 * 66 * 34


def test_a_kernel_that_reads_a_finer_grid_takes_as_long_as_what_it_moves():
    grid = hc.Grid((64, 64))
    coarse = grid.coarsen(2)
    fine, mean = grid.field("fine"), coarse.field("mean")
    surface = coarse.field("surface", axes="x")
    restrict = hc.restrict(fine, mean)
    needed = cost(restrict.kernel)
    assert needed.streams == 3
    # Two fine rows, of twice as many values, and one coarse row.
    assert needed.box_bytes(box_of((32, 10)), 1) == 8 * (2 * 64 + 32) * 10

    @hc.kernel
    def add(mean, surface):
        mean[0, 0] = mean[0, 0] + surface[0]

    needed = cost(add(mean, surface).kernel)
    assert needed.streams == 2
    assert needed.box_bytes(box_of((32, 10)), 1) == 8 * (2 * 32 * 10 + 32)
    found = plan_for(grid, [restrict], decomposition="rows")
    run = first_run(found)
    seconds = 8 * (64 * 64 + 32 * 32) / 1e9
    assert Work(found, toy(), ONE).compute_s(run) == pytest.approx(seconds)
    (_, box), *_ = run.boxes
    on_device = DeviceWork(found, toy_device()).compute_s(run.launch, box)
    assert on_device == pytest.approx(seconds)
