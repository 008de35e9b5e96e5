"""Plan: what one rank does in a step, as a short list of operations that a person can read."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec.structs import replace

from halocline.frozen import Frozen
from halocline.geometry import box_of
from halocline.language.points.at_points import AtPoints
from halocline.language.series.filling import Fill
from halocline.language.steps.tree import Every, Repeat, Swap, Until, mapped
from halocline.plan.cells.reach import moved
from halocline.plan.program.arrangement import INITIAL
from halocline.plan.value.operations import (
    CallFunction,
    Check,
    Compute,
    Operation,
    Poison,
    Poll,
    Reduce,
    Run,
    Skew,
    Start,
    StepEnd,
    Wait,
    WaitAny,
    Wavefront,
    walk,
)
from halocline.plan.value.printer import (
    block_lines,
    changing_numbers,
    contents,
    exchanged,
    operation_text,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from halocline.geometry import Box
    from halocline.language.expressions.kernel import Kernel
    from halocline.language.spaces.space import Space
    from halocline.plan.blocks.decomposition import Decomposition
    from halocline.plan.cells.block import Block, BlockArray
    from halocline.plan.cells.strategy import Strategy
    from halocline.plan.program.arrangement import Arrangement
    from halocline.plan.program.program import Launch
    from halocline.plan.schedule.layout import FieldLayout
    from halocline.plan.value.execution import Execution
    from halocline.plan.value.messages import Exchange, Message
    from halocline.plan.value.operations import Layers, Leaf, Placed
    from halocline.plan.value.parts import Part, Parts
    from halocline.plan.value.temporal_blocks import TemporalBlock


class Plan(Frozen):
    """All decisions of one rank, made before the first step.

    Attributes:
        rank: Whose plan it is.
        strategy: The choices it follows.
        decomposition: Blocks and their owners.
        layouts: How each field is stored.
        launches: The kernels, by number.
        layers: For each of them where its inlined kernels run.
        exchanges: The exchanges, by position.
        prologue: Operations before the first step.
        steps: Operations of each step of a round.
        ends: Where fields lie after each of them.
        epilogues: What returns this rank's pushed values, after the last step, if
            it is that one of a round; then swaps restore the initial arrangement.
        checks: What searches for values outside of limits, to be done at the end of a run too.
        executions: How each of the kernels runs; empty until that is decided for a platform.
        temporal_blocks: The steps of a round several at once, if that is decided for a platform.

    Example:
        >>> grid = hc.Grid((8, 8))
        >>> plan = hc.plan_for(grid, [hc.swap(grid.field("u"), grid.field("u_new"))])
        >>> print(str(plan).split(",")[0])
        plan of rank 0 of 1: 1x1 blocks
    """

    rank: int
    strategy: Strategy
    decomposition: Decomposition
    layouts: tuple[FieldLayout, ...]
    launches: tuple[Launch, ...]
    layers: tuple[Layers, ...]
    exchanges: tuple[Exchange, ...]
    prologue: tuple[Operation, ...]
    steps: tuple[tuple[Operation, ...], ...]
    ends: tuple[Arrangement, ...]
    epilogues: tuple[tuple[Operation, ...], ...]
    checks: tuple[Check, ...] = ()
    executions: tuple[Execution, ...] = ()
    temporal_blocks: tuple[TemporalBlock, ...] = ()

    @property
    def has_devices(self) -> bool:
        """Whether it has been decided that kernels run on devices."""
        return any(how.threads for how in self.executions)

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The rank's blocks."""
        return self.decomposition.blocks_of(self.rank)

    def blocks_with(self, space: Space) -> list[Block]:
        """Return the rank's blocks that have cells of a space."""
        blocks = self.decomposition.on(space).blocks_of(self.rank)
        return [block for block in blocks if not block.box.is_empty]

    def cells_stored(self, layout: FieldLayout) -> NDArray[Any]:
        """Return how many cells of a field are stored for each of the blocks with some, by number.

        Halos count, padding does not.
        """
        numbers = np.array([block.number for block in self.blocks_with(layout.space)], np.intp)
        return layout.all_stored(self.decomposition.on(layout.space), numbers).cells

    def layout(self, field: str) -> FieldLayout:
        """Return how a field is stored."""
        return next(layout for layout in self.layouts if layout.name == field)

    def _doing(self, launch: Launch) -> BlockArray:
        """Return the blocks of the rank on which a kernel runs, as boxes of its cells."""
        own = np.array(self.decomposition.numbers_of(self.rank), np.intp)
        running = self.decomposition.levels.running(launch.role, own)
        blocks = self.decomposition.on(launch.space).table(running)
        return blocks.take(blocks.box.has_cells)

    def largest_box(self, launch: Launch) -> Box:
        """Return the largest box on which a kernel runs, without cells if it runs on none."""
        boxes = self._doing(launch).box
        if not boxes.lower.size:
            return box_of((0,) * len(launch.space.extent))
        (largest,) = boxes.take(np.argmax(boxes.cells, keepdims=True)).every()
        return launch.space.flat(largest)

    def bytes_used(self, launch: Launch) -> int:
        """Return what the fields of a kernel take on the blocks on which it runs [bytes]."""
        numbers, total = self._doing(launch).number, 0
        for layout in (self.layout(name) for name in set(launch.names) & self._stored):
            boxes = layout.all_stored(self.decomposition.on(layout.space), numbers)
            total += int(boxes.cells.sum()) * layout.components * layout.bytes_per_value
        return total

    @property
    def _stored(self) -> set[str]:
        return {layout.name for layout in self.layouts}

    def bytes_on_largest_block(self) -> dict[str, int]:
        """Return what each field takes on the largest of the rank's blocks, with halos [bytes]."""
        return {layout.name: self._largest_bytes(layout) for layout in self.layouts}

    def _largest_bytes(self, layout: FieldLayout) -> int:
        cells = self.cells_stored(layout).max(initial=0)
        return int(cells) * layout.components * layout.bytes_per_value

    def bytes_of(self, parts: Parts) -> int:
        """Return the size of some parts [bytes]."""
        return int(self.bytes_of_each(parts).sum())

    def bytes_of_each(self, parts: Parts) -> NDArray[np.int64]:
        """Return the size of each of some parts [bytes]."""
        size = {layout.name: layout.bytes_per_value for layout in self.layouts}
        sizes = np.array([size[name] for name in parts.names], np.int64)
        return parts.columns.box.cells * sizes[parts.columns.field]

    def bytes_sent(self) -> int:
        """Return what leaves this rank in a step of a round on average, loops done once [bytes]."""
        started = [op.exchange for op in self.operations() if isinstance(op, Start)]
        sent = [self.bytes_of(m.parts) for n in started for m in self.exchanges[n].sends]
        return round(sum(sent) / len(self.steps))

    def operations(self) -> Iterator[Operation]:
        """Yield the operations of a round and those inside loops, in order."""
        for step in self.steps:
            yield from walk(step)

    def label(self, work: Run | Wavefront) -> str:
        """Return what the report calls a run, or runs done together."""
        if isinstance(work, Run):
            return f"{self.launches[work.launch].kernel.name} {work.zone}"
        names = Counter(self.launches[run.launch].kernel.name for run in work.runs)
        return ", ".join(f"{name} x{n}" if n > 1 else name for name, n in names.items())

    def __str__(self) -> str:
        """Return the plan as text."""
        lines = [
            f"plan of rank {self.rank} of {self.decomposition.ranks}: "
            f"{self.decomposition.label} blocks, {self.strategy.neighbours} neighbours, "
            f"{self.strategy.width} width, overlap {self.strategy.overlap}, "
            f"transport {self.strategy.transport}"
        ]
        lines += block_lines(self.decomposition, self.blocks)
        executed = zip(self.launches, self.executions, strict=bool(self.executions))
        lines += dict.fromkeys(
            f"kernel  {launch.kernel.name:<20} {how}" for launch, how in executed if str(how)
        )
        many = len(self.steps) > 1
        if self.prologue:
            lines += ["once", *self._lines(self.prologue, "  ")]
        for n, step in enumerate(self.steps):
            known = next((m for m in range(n) if self._meaning(m) == self._meaning(n)), None)
            title = f"step {n + 1}" if many else "step"
            if known is None:
                lines += [title, *self._lines(step, "  ")]
            else:
                change = exchanged(self._start(known), self._start(n))
                lines.append(f"{title} as step {known + 1}{change}")
        if self.executions and self.strategy.steps_in_cache > 1 and not self.temporal_blocks:
            lines.append(
                "no steps are done together: the caches hold what they use, or something stands "
                "between their kernels"
            )
        for block in self.temporal_blocks:
            lines += [self._block_title(block), *self._lines(block.operations, "  ")]
        for n, end in enumerate(self.epilogues):
            operations = (*end, *self.ends[n].swaps_to(INITIAL))
            title = f"after step {n + 1}, if it is the last" if many else "at the end"
            lines += [title, *self._lines(operations, "  ")] if operations else []
        return "\n".join(lines)

    def __repr__(self) -> str:
        """Return which plan it is; 'print' shows what it says."""
        return (
            f"<plan of rank {self.rank} of {self.decomposition.ranks}: {len(self.launches)} "
            f"kernel(s), {len(self.exchanges)} exchange(s); print shows it>"
        )

    def _start(self, step: int) -> Arrangement:
        """Return where fields lie when a step begins."""
        return self.ends[step - 1]

    def _meaning(self, step: int) -> tuple[object, ...]:
        """Return a step's operations with the names of the fields that lie in storages at first."""
        field = self._start(step).field

        def parts(found: Parts) -> frozenset[Part]:
            return frozenset(found.renamed({name: field(name) for name in found.names}))

        def meaning(op: Leaf) -> list[object]:
            match op:
                case Run(number, zone, boxes):
                    launch = self.launches[number]
                    names = tuple(map(field, launch.names))
                    return [(replace(launch, names=names), self.layers[number], zone, boxes)]
                case Start(number) | Wait(number) | Poll(number) | WaitAny(number):
                    exchange = self.exchanges[number]
                    messages = (*exchange.sends, *exchange.receives)
                    moved = [(m.source, m.target, parts(m.parts)) for m in messages]
                    ready = op.arrivals if isinstance(op, WaitAny) else ()
                    runs = [(one.messages, *meaning(one.run)) for one in ready]
                    return [(type(op), moved, parts(exchange.copies), runs)]
                case Poison(name):
                    return [replace(op, field=field(name))]
                case Swap(first, second):
                    return [Swap(field(first), field(second))]
                case Reduce() | CallFunction() | Check():
                    return [replace(op, restore=())]
                case Compute() | StepEnd():
                    return [op]
                case Wavefront():
                    inner = tuple(one for part in op.parts for one in meaning(part))
                    return [(op.skews, op.axis, op.planes, op.rows, inner)]

        return mapped(self.steps[step], meaning)

    def _lines(self, operations: Iterable[Operation], indent: str) -> list[str]:
        lines = []
        for op in operations:
            lines.append(indent + self._line(op))
            match op:
                case Start(number):
                    lines += self._traffic(self.exchanges[number], indent + "          ")
                case WaitAny(_, arrivals):
                    lines += self._lines((a.run for a in arrivals), indent + "  ")
                case Repeat(_, body) | Every(_, body) | Until(_, body):
                    lines += self._lines(body, indent + "  ")
                case Wavefront(parts, skews):
                    lines += self._skewed(parts, skews, indent + "  ")
        return lines

    def _block_title(self, block: TemporalBlock) -> str:
        last = block.first + block.steps
        paused = "".join(
            f", unless step {block.first + one.offset + 1} is one of every {one.interval}"
            for one in block.pauses
        )
        return f"steps {block.first + 1} to {last} at once{paused}"

    def _run_line(self, run: Run) -> str:
        launch, boxes = self.launches[run.launch], run.boxes
        name, zone = launch.kernel.name, run.zone
        count = sum(box.cells for _, box in boxes)
        plural = "es" if len(boxes) > 1 else ""
        line = f"run     {name:<20} {zone:<5}{count:>14,} cells in {len(boxes)} box{plural}"
        match launch.body:
            case AtPoints(points=points):
                line += f", for {len(points):,} points"
            case Fill(series=series):
                line += f", with the series '{series.name}'"
        line += self._produced(run.launch, boxes) + (", late" if run.is_late else "")
        line += ", at once with the one before" if run.is_concurrent else ""
        return line + changing_numbers(launch)

    def _line(self, op: Operation) -> str:
        return self._run_line(op) if isinstance(op, Run) else operation_text(op)

    def _produced(self, launch: int, boxes: Iterable[Placed]) -> str:
        """Return how many inlined kernels run in some boxes, and in how many cells."""
        found = [
            # A layer of which cells of a row read the same is one cell wide there.
            max(layer.intersect(moved(box, offset)).cells for offset in producer.offsets)
            for number, box in boxes
            for producer, layer in zip(
                self.launches[launch].kernel.inlined,
                self.layers[launch].get(number, ()),
                strict=True,
            )
            if layer is not None
        ]
        count = sum(cells > 0 for cells in found)
        return f", with {count} inlined boundary kernels in {sum(found):,} cells" if count else ""

    def _skewed(
        self, parts: Iterable[Operation], skews: Iterable[Skew], indent: str
    ) -> Iterator[str]:
        """Yield the parts of a wavefront, with how far runs stay behind where it ends."""
        behind = iter(skews)
        for part in parts:
            skew = f", {next(behind).upper} planes behind" if isinstance(part, Run) else ""
            yield indent + self._line(part) + skew

    def _traffic(self, exchange: Exchange, indent: str) -> list[str]:
        lines = [
            f"{indent}→ rank {m.target}: {contents(m.parts)}, {self._moved(m)}"
            for m in exchange.sends
        ]
        lines += [f"{indent}← rank {m.source}: {self._moved(m)}" for m in exchange.receives]
        if exchange.copies:
            size = self.bytes_of(exchange.copies)
            lines.append(
                f"{indent}copy within the rank: {contents(exchange.copies)}, {size:,} bytes"
            )
        return lines

    def _moved(self, message: Message) -> str:
        size = f"{self.bytes_of(message.parts):,} bytes"
        return size if message.transport == "auto" else f"{size}, {message.transport}"


def kernels_of(plans: Iterable[Plan]) -> tuple[Kernel, ...]:
    """Return every different kernel of some plans once; all ranks find the same ones."""
    launches = (launch for plan in plans for launch in plan.launches)
    return tuple(dict.fromkeys(launch.code for launch in launches if launch.is_compiled))
