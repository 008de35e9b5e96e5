"""Core and rim."""

from math import prod

import pytest
import stencils
from planning import parts_of, plans, started

import halocline as hc
from halocline.geometry import disjoint
from halocline.language.expressions.kernel import reads
from halocline.plan import operations as ops
from halocline.plan.strategy import Strategy

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


def test_the_core_of_a_large_block_is_all_but_one_layer():
    problem = stencils.cavity((32, 32, 32), periodic=True)
    plan = planned(problem, (1, 1, 2), tiles=1)[0]
    ((box,), _) = boxes(plan, "core").values()
    # The other two axes are the rank's own, filled by copies before.
    assert box.extent == (32, 32, 14)
    assert sum(p.box.cells for e in started(plan, plan.steps[0]) for p in parts_of(e)) > 0
