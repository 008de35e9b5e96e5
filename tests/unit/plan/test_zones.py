"""Core and rim."""

from itertools import combinations
from math import prod

import pytest
import stencils
from planning import parts_of, plans, started

import halocline as hc
from halocline.geometry import disjoint
from halocline.language.expressions.kernel import reads
from halocline.plan.cells.strategy import Strategy
from halocline.plan.value import operations as ops

SHAPES = [
    (stencils.heat((20, 16), (True, True)), (2, 2)),
    (stencils.heat((7, 10, 12), (False, True, False)), (1, 2, 3)),
    (stencils.waves((20, 16), (True, False)), (2, 2)),
    (stencils.cavity((10, 10, 12), (False, False, False)), (2, 2, 2)),
]


def planned(problem, shape, **options):
    return plans(problem, ranks=prod(shape), decomposition=shape, strategy=Strategy(**options))


def boxes(plan, zone):
    """Return (launch, block) -> boxes of a zone."""
    found = {}
    for op in plan.operations():
        if isinstance(op, ops.Run) and op.zone == zone:
            for number, box in op.boxes:
                found.setdefault((op.launch, number), []).append(box)
    return found


@pytest.mark.parametrize(("problem", "shape"), SHAPES)
@pytest.mark.parametrize("overlap", ["core-first", "rim-first"])
def test_core_and_rim_tile_what_is_computed_without_overlap(problem, shape, overlap):
    for plan, whole in zip(
        planned(problem, shape, overlap=overlap, tiles=3),
        planned(problem, shape, overlap="none"),
        strict=True,
    ):
        core, rim, full = boxes(plan, "core"), boxes(plan, "rim"), boxes(whole, "all")
        assert core
        for key in {*core, *rim}:
            pieces = [*core.get(key, []), *rim.get(key, [])]
            assert sum(box.cells for box in disjoint(pieces)) == sum(box.cells for box in pieces)
            assert sum(box.cells for box in pieces) == sum(box.cells for box in full[key])
            assert all(any(whole.contains(box) for whole in full[key]) for box in pieces)


@hc.kernel
def difference(a, b):
    b[0] = a[0] - a[-1]


@hc.kernel
def advance(a, b):
    a[0] = a[0] - 0.5 * b[0]


def upwind():
    """Return a program whose messages go one way: what a block sends lies far from its halo."""
    grid = hc.Grid((24,), periodic=True)
    a, b = grid.field("a"), grid.field("b")
    return stencils.Problem(grid, [difference(a, b), advance(a, b)])


@pytest.mark.parametrize(
    ("problem", "shape", "overlap"),
    [
        *((problem, shape, "core-first") for problem, shape in SHAPES),
        (upwind(), (2,), "core-first"),
        (upwind(), (2,), "rim-first"),
    ],
)
def test_the_core_neither_reads_nor_writes_what_is_arriving(problem, shape, overlap):
    for plan in planned(problem, shape, overlap=overlap):
        (exchange,) = [e for e in started(plan, plan.steps[0]) if e.receives]
        assert boxes(plan, "core")
        for (launch, block), found in boxes(plan, "core").items():
            one = plan.launches[launch]
            read = map(one.access, reads(*(s.value for s in one.kernel.statements)))
            touched = [(*a.key, box.shift(a.offset)) for a in read for box in found]
            for part in (p for m in exchange.receives for p in m.parts if p.target == block):
                for field, component, box in touched:
                    if (field, component) == (part.field, part.component):
                        assert box.intersect(part.box).is_empty


@pytest.mark.parametrize(("problem", "shape"), SHAPES)
def test_rim_first_leaves_nothing_to_be_sent_to_the_core(problem, shape):
    for plan in planned(problem, shape, overlap="rim-first"):
        for exchange in started(plan, plan.steps[0]):
            for (launch, block), found in boxes(plan, "core").items():
                writes = plan.launches[launch].writes
                for part in (p for m in exchange.sends for p in m.parts if p.source == block):
                    if (part.field, part.component) in writes:
                        assert all(box.intersect(part.source_box).is_empty for box in found)


def conflict(plan, first, second):
    """Return whether one of two runs on a block assigns what the other one uses or assigns."""

    def used(run, which):
        launch, box = plan.launches[run[0]], run[2]
        return [(a.key, box.shift(a.offset)) for w in which for a in getattr(launch, w)]

    return any(
        key == other and not box.intersect(there).is_empty
        for mine, theirs in ((["reads", "assigns"], ["assigns"]), (["assigns"], ["reads"]))
        for key, box in used(first, mine)
        for other, there in used(second, theirs)
    )


@pytest.mark.parametrize(("problem", "shape"), [SHAPES[0], SHAPES[2], (upwind(), (2,))])
@pytest.mark.parametrize("overlap", ["core-first", "rim-first"])
def test_no_kernel_overtakes_one_that_it_depends_on(problem, shape, overlap):
    for plan in planned(problem, shape, overlap=overlap):
        found = [op for op in ops.walk(plan.steps[0]) if isinstance(op, ops.Run)]
        runs = [(op.launch, number, box) for op in found for number, box in op.boxes]
        assert not any(
            conflict(plan, one, later)
            for one, later in combinations(runs, 2)
            if later[0] < one[0] and later[1] == one[1]
        )


def test_a_piece_of_a_rim_waits_for_the_messages_of_the_pieces_that_it_depends_on():
    dependent = 0
    for plan in planned(upwind(), (2,), wait="any"):
        for op in ops.walk(plan.steps[0]):
            for one, later in combinations(getattr(op, "arrivals", ()), 2):
                runs = [(a.run.launch, *a.run.boxes[0]) for a in (one, later)]
                if one.run.launch != later.run.launch and conflict(plan, *runs):
                    assert set(one.messages) <= set(later.messages)
                    dependent += 1
    assert dependent


def test_the_core_of_a_large_block_is_all_but_one_layer():
    problem = stencils.cavity((32, 32, 32), periodic=True)
    plan = planned(problem, (1, 1, 2), tiles=1)[0]
    ((box,), _) = boxes(plan, "core").values()
    # The other two axes are the rank's own, filled by copies before.
    assert box.extent == (32, 32, 14)
    assert sum(p.box.cells for e in started(plan, plan.steps[0]) for p in parts_of(e)) > 0
