"""Messages as data: who sends what to whom."""

import pickle
import time
from collections import Counter
from itertools import product

import pytest
import stencils
from planning import cells_read_from_other_blocks, owners, parts_of, plans, started

import halocline as hc
from halocline.geometry import codimension
from halocline.lbm import Setup, collide_stream, make_flow, velocity_set
from halocline.plan.cells.strategy import Strategy
from halocline.plan.pipeline import plan_for

STRATEGIES = [
    Strategy(neighbours=n, width=w, overlap=o)
    for n in ("direct", "staged")
    for w in ("minimal", "full")
    for o in ("core-first", "rim-first")
]


def messages(found, which):
    return {
        (m.source, m.target, m.tag): m.parts
        for plan in found
        for exchange in plan.exchanges
        for m in getattr(exchange, which)
    }


@pytest.mark.parametrize("strategy", STRATEGIES, ids=str)
@pytest.mark.parametrize(
    "problem",
    [
        stencils.heat((9, 8), (True, False)),
        stencils.waves((9, 8), (False, True)),
        stencils.cavity((9, 8), (True, False)),
    ],
    ids=["heat", "waves", "cavity"],
)
def test_every_send_has_its_receive_with_the_same_parts_in_the_same_order(problem, strategy):
    for ranks in (2, 4, 6):
        found = plans(problem, ranks=ranks, strategy=strategy)
        sends, receives = messages(found, "sends"), messages(found, "receives")
        assert sends == receives
        assert sends


def test_sends_and_receives_of_the_cavity_agree_in_three_dimensions():
    problem = stencils.cavity((6, 5, 4), (True, False, False))
    found = plans(problem, ranks=4, decomposition=(2, 1, 2))
    assert messages(found, "sends") == messages(found, "receives")


def test_two_periodic_ranks_send_both_sides_in_one_message_without_confusing_them():
    found = plans(stencils.heat((8,), (True,)), ranks=2)
    (message,) = started(found[0], found[0].steps[0])[0].sends
    assert [part.direction for part in message.parts] == [(-1,), (1,)]
    # Rank 1 sees rank 0's cell 3 at its low side, and cell 0 as cell 8 at its high side.
    assert [part.box.lower for part in message.parts] == [(3,), (8,)]
    assert [part.source_box.lower for part in message.parts] == [(3,), (0,)]


def test_a_rank_alone_on_a_periodic_axis_copies_to_itself():
    (plan,) = plans(stencils.heat((6, 8), (False, True)))
    (exchange,) = started(plan, plan.steps[0])
    assert not exchange.sends
    assert [(p.source, p.target, p.shift) for p in exchange.copies] == [
        (0, 0, (0, -8)),
        (0, 0, (0, 8)),
    ]


def test_rows_around_the_grid_are_left_to_kernels():
    (plan,) = plans(stencils.heat((8,), (True,)))
    assert plan.exchanges == ()
    (plan,) = plans(stencils.cavity((8, 6), (True, True)))
    (exchange,) = started(plan, plan.steps[0])
    assert {p.direction for p in exchange.copies} == {(0, -1), (0, 1)}
    # A corner's value is one of the row's own: it is read at the other end of the row.
    assert {(p.box.lower[0], p.box.upper[0]) for p in exchange.copies} == {(0, 8)}


def test_beyond_the_domain_there_is_no_message():
    found = plans(stencils.heat((9,), (False,)), ranks=3)
    assert [[m.target for m in started(p, p.steps[0])[0].sends] for p in found] == [
        [1],
        [0, 2],
        [1],
    ]


def test_a_single_block_in_a_closed_domain_exchanges_nothing():
    (plan,) = plans(stencils.heat((9, 9), (False, False)))
    assert plan.exchanges == ()


@pytest.mark.parametrize("strategy", STRATEGIES, ids=str)
def test_source_target_and_tag_are_distinct_among_messages_in_flight(strategy):
    found = plans(stencils.waves((9, 8), (True, True)), ranks=4, strategy=strategy)
    for plan in found:
        for exchange in plan.exchanges:
            count = Counter((m.source, m.target, m.tag) for m in exchange.sends)
            assert set(count.values()) <= {1}
        tags = [e.number for e in plan.exchanges if e.sends]
        assert len(tags) == len(set(tags))
        assert all(m.tag == e.number for e in plan.exchanges for m in (*e.sends, *e.receives))


def test_tags_are_the_same_on_ranks_that_take_part_in_different_exchanges():
    problem = stencils.waves((12, 3), (False, False))
    tags = [
        {m.tag for e in p.exchanges for m in (*e.sends, *e.receives)}
        for p in plans(problem, ranks=4, decomposition=(4, 1))
    ]
    assert len(set(map(frozenset, tags))) == 1


def test_d3q19_sends_five_populations_across_a_side_and_one_across_an_edge():
    (plan,) = plans(stencils.cavity((6, 6, 6), periodic=True), blocks=27, decomposition=(3, 3, 3))
    (exchange,) = started(plan, plan.steps[0])
    for target in range(27):
        arriving = [part for part in parts_of(exchange) if part.target == target]
        count = Counter(part.direction for part in arriving)
        assert {codimension(d): n for d, n in count.items()} == {1: 5, 2: 1}
        assert len(count) == 6 + 12


@pytest.mark.parametrize(
    ("problem", "shape"),
    [
        (stencils.heat((9, 8), (True, True)), (3, 2)),
        (stencils.heat((7,), (True,)), (2,)),
        (stencils.cavity((7, 6), (True, True)), (2, 3)),
        (stencils.cavity((6, 5, 4), (True, True, True)), (2, 2, 2)),
        (stencils.cavity((4, 4, 4), (True, True, True)), (1, 1, 2)),
        (stencils.cavity((4, 3, 3), (True, True, True)), (4, 3, 3)),
    ],
)
def test_exactly_the_values_that_some_cell_reads_travel(problem, shape):
    blocks = 1
    for n in shape:
        blocks *= n
    (plan,) = plans(problem, blocks=blocks, decomposition=shape)
    grid, kernel = problem.grid, problem.steps[0].kernel
    owner = owners(plan.decomposition)
    expected = cells_read_from_other_blocks(kernel, grid.extent, grid.periodic, owner)
    found: Counter = Counter()
    for part in (p for e in started(plan, plan.steps[0]) for p in parts_of(e)):
        found[part.source, part.target] += part.box.cells
    assert dict(found) == expected


@pytest.mark.parametrize(("dtype", "size"), [("float64", 8), ("float32", 4)])
def test_bytes_sent_are_those_counted_cell_by_cell(dtype, size):
    problem = stencils.cavity((6, 5, 8), periodic=True, dtype=dtype)
    found = plans(problem, ranks=4)
    owner = owners(found[0].decomposition)
    expected = cells_read_from_other_blocks(
        problem.steps[0].kernel, problem.grid.extent, (True,) * 3, owner
    )
    for rank, plan in enumerate(found):
        values = sum(n for (source, target), n in expected.items() if source == rank != target)
        assert plan.bytes_sent() == values * size


def test_full_width_sends_all_components():
    problem = stencils.cavity((6, 6), periodic=True)
    (plan,) = plans(problem, blocks=4, decomposition=(2, 2), strategy=Strategy(width="full"))
    parts = [part for e in started(plan, plan.steps[0]) for part in parts_of(e)]
    assert {part.component for part in parts} == set(range(9))


def test_staged_messages_cross_sides_only():
    problem = stencils.cavity((6, 6, 6), periodic=True)
    (plan,) = plans(
        problem, blocks=8, decomposition=(2, 2, 2), strategy=Strategy(neighbours="staged")
    )
    exchanges = started(plan, plan.steps[0])
    assert [{p.direction for p in parts_of(e)} for e in exchanges] == [
        {tuple(s if a == axis else 0 for a in range(3)) for s in (-1, 1)} for axis in range(3)
    ]


def test_a_block_one_cell_thick_passes_corners_on_correctly():
    problem = stencils.cavity((3, 3), periodic=True)
    (plan,) = plans(problem, blocks=9, decomposition=(3, 3))
    parts = [part for e in started(plan, plan.steps[0]) for part in parts_of(e)]
    assert {part.box.cells for part in parts} == {1}
    assert len({(p.target, p.component, p.box) for p in parts}) == len(parts)


def test_plans_survive_pickling():
    for plan in plans(stencils.waves((8, 8), periodic=True), ranks=2):
        assert pickle.loads(pickle.dumps(plan.exchanges)) == plan.exchanges


def test_the_plan_of_rank_77777_of_100000_takes_less_than_a_second():
    problem = stencils.cavity((5120, 5120, 5120), periodic=True)
    started_at = time.process_time()
    plan = plan_for(problem.grid, problem.steps, ranks=100_000, rank=77_777)
    assert time.process_time() - started_at < 1.0
    assert len(started(plan, plan.steps[0])[0].sends) == 18


def test_a_halo_wider_than_a_block_comes_from_the_blocks_behind():
    grid = hc.Grid((8,), periodic=True)
    a, b = grid.field("a"), grid.field("b")

    @hc.kernel
    def far(a, b):
        b[0] = a[-3] + a[-1]

    for n, plan in enumerate(plans(grid, [far(a, b)], ranks=4)):
        (exchange,) = plan.exchanges
        sources = {p.box.lower[0]: p.source for m in exchange.receives for p in m.parts}
        assert sum(p.box.cells for m in exchange.receives for p in m.parts) == 3
        assert sources[2 * n - 3] == (n - 2) % 4
        assert {source for at, source in sources.items() if at > 2 * n - 3} == {(n - 1) % 4}


@pytest.mark.parametrize(
    ("name", "sides", "edges", "corners"),
    [("D2Q9", 3, 1, 0), ("D3Q15", 5, 2, 1), ("D3Q19", 5, 1, 0), ("D3Q27", 9, 3, 1)],
)
def test_every_lattice_sends_the_populations_that_cross_and_no_others(name, sides, edges, corners):
    """Across a side, an edge and a corner of a block; in two dimensions an edge is a corner."""
    lattice = velocity_set(name)
    grid = hc.Grid((9,) * lattice.dimensions, periodic=True)
    f, f_next = (grid.field(n, components=len(lattice)) for n in ("f", "f_next"))
    steps = [collide_stream(f, f_next, velocity_set=lattice, omega=1.0), hc.swap(f, f_next)]
    shape = (3,) * lattice.dimensions
    plan = plan_for(grid, steps, ranks=3**lattice.dimensions, decomposition=shape)
    (exchange,) = started(plan, plan.steps[0])
    assert crossing(exchange) == expected_crossing(lattice, sides, edges, corners)


@pytest.mark.parametrize(
    ("name", "sides", "edges", "corners"),
    [("D2Q9", 3, 1, 0), ("D3Q15", 5, 2, 1), ("D3Q19", 5, 1, 0), ("D3Q27", 9, 3, 1)],
)
def test_in_place_the_same_populations_are_fetched_and_sent_home(name, sides, edges, corners):
    setup = Setup((9,) * velocity_set(name).dimensions, name, 1.0, streaming="in-place")
    flow = make_flow(setup)
    shape = (3,) * flow.velocity_set.dimensions
    plan = plan_for(flow.grid, flow.steps, ranks=3 ** len(shape), decomposition=shape)
    fetched, home = plan.exchanges
    expected = expected_crossing(flow.velocity_set, sides, edges, corners)
    assert crossing(fetched) == crossing(home) == expected
    own = plan.blocks[0].box
    boxes = [part.box for message in home.receives for part in message.parts]
    assert all(own.contains(box) for box in boxes), "what comes home are own cells"


def crossing(exchange) -> dict[tuple, int]:
    """Return how many components come from each direction."""
    found: dict[tuple, set] = {}
    for part in (part for message in exchange.receives for part in message.parts):
        found.setdefault(part.direction, set()).add(part.component)
    return {direction: len(components) for direction, components in found.items()}


def expected_crossing(lattice, sides, edges, corners) -> dict[tuple, int]:
    counts = {1: sides, 2: edges, 3: corners}
    directions = [d for d in product((-1, 0, 1), repeat=lattice.dimensions) if any(d)]
    return {d: counts[codimension(d)] for d in directions if counts[codimension(d)]}
