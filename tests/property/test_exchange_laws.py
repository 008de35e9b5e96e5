"""Laws of decompositions and exchanges, checked cell by cell for all ranks of random plans."""

from __future__ import annotations

import pickle
from collections import Counter
from itertools import product

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from property.draw import draw_program
from property.executions import draw_split, draw_strategy, is_legal_refusal, plan_of

import halocline as hc
from halocline.errors import HaloclineError
from halocline.geometry import directions
from halocline.language.expressions.kernel import reads
from halocline.plan.pipeline import plan_for
from halocline.plan.value import operations as ops


def cells(box):
    return product(*map(range, box.lower, box.upper))


randoms = st.randoms(use_true_random=False)
strategies = st.builds(draw_strategy, randoms)


@st.composite
def splits_of(draw, extent, periodic, grain=()):
    """Draw blocks of any sizes, of any number of ranks."""
    split = draw_split(draw(randoms), extent, periodic, grain=grain)
    ranks = draw(st.integers(1, split.blocks))
    owners = draw(st.permutations([n % ranks for n in range(split.blocks)])) if split.boxes else ()
    return replace(split, ranks=ranks, owners=tuple(owners))


@st.composite
def splits(draw):
    extent = tuple(draw(st.integers(1, 7)) for _ in range(draw(st.integers(1, 3))))
    periodic = tuple(draw(st.booleans()) for _ in extent)
    return draw(splits_of(extent, periodic))


@given(splits())
def test_blocks_tile_the_domain(split):
    count = Counter(c for n in range(split.blocks) for c in cells(split.block(n).box))
    assert count == Counter(product(*map(range, split.extent)))


@given(splits())
def test_every_block_belongs_to_one_rank_and_every_rank_has_one(split):
    of_ranks = [[b.number for b in split.blocks_of(rank)] for rank in range(split.ranks)]
    assert sorted(n for numbers in of_ranks for n in numbers) == list(range(split.blocks))
    assert all(numbers for numbers in of_ranks)
    assert all(split.block(n).rank == r for r, numbers in enumerate(of_ranks) for n in numbers)


@given(splits())
def test_cells_know_their_block(split):
    for number in range(split.blocks):
        assert all(split.base.number_at(cell) == number for cell in cells(split.block(number).box))


@given(splits())
def test_a_block_is_found_again_from_each_beside_it(split):
    for number in range(split.blocks):
        block = split.block(number)
        for direction in directions(len(split.extent)):
            for found, shift in split.base.beside(block, direction):
                back = (
                    other
                    for d in directions(len(split.extent))
                    for other in split.base.beside(found, d)
                )
                assert (block, tuple(-s for s in shift)) in back


@given(splits(), st.data())
def test_the_blocks_that_meet_a_box_have_its_cells(split, data):
    """All images of them, those beyond a side that does not close as the nearest cell inside."""
    ends = [sorted(data.draw(st.tuples(*[st.integers(-9, 15)] * 2))) for _ in split.extent]
    box = hc.Box(tuple(a for a, _ in ends), tuple(b for _, b in ends))
    expected = set()
    for cell in cells(box):
        sides = list(zip(cell, split.extent, split.periodic, strict=True))
        home = tuple(c % n if closes else min(max(c, 0), n - 1) for c, n, closes in sides)
        shift = tuple(c // n * n if closes else 0 for c, n, closes in sides)
        expected.add((split.base.number_at(home), shift))
    found = [(block.number, shift) for block, shift in split.base.meeting(box)]
    assert len(found) == len(set(found))
    assert set(found) == expected


@st.composite
def stencils(draw):
    """Draw a periodic grid, one kernel with random reads on it, blocks and ranks."""
    dimensions = draw(st.integers(1, 3))
    extent = tuple(draw(st.integers(2, (9, 7, 5)[dimensions - 1])) for _ in range(dimensions))
    offsets = st.tuples(*[st.integers(-2, 2)] * dimensions)
    taps = draw(st.lists(st.tuples(st.integers(0, 1), offsets), min_size=1, max_size=4))
    split = draw(splits_of(extent, (True,) * dimensions))
    return extent, tuple(taps), split


def stencil_program(extent, taps):
    grid = hc.Grid(extent, periodic=True)
    f, g = grid.field("f", components=2), grid.field("g")

    @hc.kernel
    def gather(f, g):
        terms = [f[q][offset] for q, offset in taps]
        g[(0,) * len(extent)] = sum(terms[1:], terms[0])

    @hc.kernel
    def scatter(g, f):
        for q in range(2):
            f[q] = g

    return grid, [gather(f, g), scatter(g, f)]


def all_plans(extent, taps, split, strategy):
    grid, steps = stencil_program(extent, taps)
    try:
        return [
            plan_for(
                grid,
                steps,
                ranks=split.ranks,
                rank=rank,
                decomposition=split,
                strategy=strategy,
                check_every=0,
            )
            for rank in range(split.ranks)
        ]
    except HaloclineError as error:
        pass_over(error)


def pass_over(error: HaloclineError) -> None:
    """Pass over examples that may be refused; raise any other error."""
    assume(not is_legal_refusal(error))
    raise error


@st.composite
def programs_with_plans(draw, **choices):
    """Draw blocks, and the plan of rank 0 for a program, by any strategy or the one given."""
    program = draw_program(draw(randoms))
    split = draw(splits_of(program.extent, program.periodic, program.grain()))
    strategy = hc.Strategy(**choices) if choices else draw(strategies)
    try:
        return split, plan_of(program, split, strategy)
    except HaloclineError as error:
        pass_over(error)


def wanted_cells(block, taps):
    """Return every (component, cell) beyond its own that a block reads; rows may close."""
    read = {
        (q, ((x + dx) % block.wrap if block.wrap else x + dx, *map(sum, zip(rest, moves))))
        for x, *rest in cells(block.box)
        for q, (dx, *moves) in taps
    }
    own = set(cells(block.box))
    return {(q, cell) for q, cell in read if cell not in own}


@settings(max_examples=60)
@given(stencils(), strategies)
def test_every_halo_cell_that_is_read_is_filled_once_from_its_owner(drawn, strategy):
    extent, taps, split = drawn
    strategy = hc.Strategy(neighbours=strategy.neighbours, width=strategy.width, overlap="none")
    found = all_plans(extent, taps, split, strategy)
    # Every block's memory: (component, cell) -> the global cell whose value lies there.
    memory = {
        n: {(q, c): c for c in cells(split.block(n).box) for q in range(2)}
        for n in range(split.blocks)
    }
    filled: Counter = Counter()
    exchanges = [exchange for plan in found for exchange in plan.exchanges]
    for number in sorted({exchange.number for exchange in exchanges}):
        by_number = [e for e in exchanges if e.number == number]
        parts = [p for e in by_number for p in e.copies]
        parts += [p for e in by_number for m in e.receives for p in m.parts]
        _move(parts, memory, filled)
    assert set(filled.values()) <= {1}
    for number in range(split.blocks):
        block = split.block(number)
        for q, cell in wanted_cells(block, taps):
            home = tuple(c % n for c, n in zip(cell, extent, strict=True))
            assert memory[number].get((q, cell)) == home
        if (strategy.neighbours, strategy.width) == ("direct", "minimal"):
            got = {key[1:] for key in filled if key[0] == number}
            assert got == wanted_cells(block, taps)


def _move(parts, memory, filled) -> None:
    """Copy all parts of one exchange; each must find its source filled."""
    arriving = []
    for part in parts:
        assert part.field == "f"
        for cell in cells(part.box):
            at = tuple(c - s for c, s in zip(cell, part.shift, strict=True))
            value = memory[part.source].get((part.component, at))
            arriving.append((part.target, part.component, cell, value))
    for target, component, cell, value in arriving:
        if value is not None:
            memory[target][component, cell] = value
        filled[target, component, cell] += 1


@settings(max_examples=40)
@given(stencils(), strategies)
def test_every_send_has_its_receive_with_the_same_parts(drawn, strategy):
    sends, receives = {}, {}
    for plan in all_plans(*drawn, strategy):
        for exchange in plan.exchanges:
            for message in exchange.sends:
                assert message.source == plan.rank != message.target
                sends[message.source, message.target, message.tag] = message.parts
            for message in exchange.receives:
                assert message.target == plan.rank != message.source
                receives[message.source, message.target, message.tag] = message.parts
    assert sends == receives


@settings(max_examples=60)
@given(
    st.sampled_from(("core-first", "rim-first")).flatmap(lambda o: programs_with_plans(overlap=o))
)
def test_core_and_rim_partition_what_each_kernel_computes(drawn):
    split, plan = drawn
    pieces: dict[tuple[int, int], list] = {}
    for op in plan.operations():
        if isinstance(op, ops.Run):
            for number, box in op.boxes:
                pieces.setdefault((op.launch, number), []).append(box)
    for (launch, number), found in pieces.items():
        count = Counter(cell for box in found for cell in cells(box))
        assert set(count.values()) == {1}
        if not plan.launches[launch].on_demand:
            space, region = plan.launches[launch].space, plan.launches[launch].region
            own = split.on(space).block(number).box.intersect(region)
            assert set(cells(space.flat(own))) <= set(count)


def _parts(plan, run, number, box):
    """Yield each kernel that a run executes on a block, producers alone, with its cells there."""
    launch = plan.launches[run.launch]
    yield replace(launch, kernel=replace(launch.kernel, inlined=())), box
    layers = plan.layers[run.launch].get(number, ())
    for producer, layer in zip(launch.kernel.inlined, layers, strict=bool(layers)):
        if layer is not None:
            yield replace(launch, kernel=producer.kernel), layer


@settings(max_examples=50)
@given(programs_with_plans())
def test_no_operation_reaches_beyond_what_is_stored(drawn):
    split, plan = drawn
    for run in (op for op in plan.operations() if isinstance(op, ops.Run)):
        for number, box in run.boxes:
            for launch, where in _parts(plan, run, number, box):
                for access in (*launch.reads, *launch.assigns):
                    stored = plan.layout(access.field).stored(split.on(access.space).block(number))
                    assert stored.contains(access.space.flat(access.cells(where)))
    assert pickle.loads(pickle.dumps(plan.exchanges)) == plan.exchanges


def test_reads_are_found_in_a_fixed_order():
    grid, steps = stencil_program((4, 4), ((1, (0, 1)), (0, (1, 0))))
    found = reads(*(s.value for s in steps[0].kernel.statements))
    assert [(r.component, r.offset) for r in found] == [(0, (1, 0)), (1, (0, 1))]
    assert np.prod(grid.extent) == 16
