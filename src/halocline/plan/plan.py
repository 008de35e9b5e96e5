"""Plan: what one rank does in a step, as a short list of operations that a person can read."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from halocline.language.steps import tree
from halocline.language.steps.tree import Every, Repeat, Swap, Until, mapped
from halocline.notebook import preformatted
from halocline.plan.arrangement import INITIAL
from halocline.plan.reach import moved
from halocline.plan.words import contents, exchanged, loop_title, told

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from halocline.geometry import Box
    from halocline.language.expressions.parameters import Parameter
    from halocline.language.spaces.space import Space
    from halocline.language.steps.steps import Callback, Reduction
    from halocline.plan.arrangement import Arrangement
    from halocline.plan.decomposition import Block, Decomposition
    from halocline.plan.execution import Execution
    from halocline.plan.layout import FieldLayout
    from halocline.plan.message import Exchange, Message, Part
    from halocline.plan.program import Launch
    from halocline.plan.strategy import Strategy

# A box of cells on one of the rank's blocks, by the block's number.
Placed = tuple[int, "Box"]
# For each block where the producers of a kernel run.
Layers = dict[int, tuple["Box | None", ...]]


@dataclass(frozen=True, slots=True)
class Run:
    """Compute a kernel (by its number in the plan) in boxes.

    Attributes:
        launch: Which kernel.
        zone: What the boxes are called.
        boxes: The cells.
        is_late: Whether it is the rest of a kernel, of whose core it needs nothing that was run
            since the exchange began: a device may do it beside the core.
    """

    launch: int
    zone: str
    boxes: tuple[Placed, ...]
    is_late: bool = False


@dataclass(frozen=True, slots=True)
class Start:
    """Begin an exchange (by its position in the plan)."""

    exchange: int


@dataclass(frozen=True, slots=True)
class Wait:
    """Complete an exchange."""

    exchange: int


@dataclass(frozen=True, slots=True)
class Arrival:
    """What is computed as soon as some messages of an exchange have arrived.

    Attributes:
        messages: Their positions among the exchange's receives.
        run: What needs them and no others.
    """

    messages: tuple[int, ...]
    run: Run


@dataclass(frozen=True, slots=True)
class WaitAny:
    """Complete an exchange, working on whichever messages have arrived."""

    exchange: int
    arrivals: tuple[Arrival, ...]


@dataclass(frozen=True, slots=True)
class Poll:
    """Let the messages of an exchange progress."""

    exchange: int


@dataclass(frozen=True, slots=True)
class Reduce:
    """Combine a component of a field over all cells of all ranks.

    Swaps restore the initial arrangement before it and undo that after it; likewise below.

    Attributes:
        kind: How values are combined.
        field: The field.
        component: Which of its components.
        boxes: The cells.
        result: What gets the value.
        restore: The swaps.
        is_alone: Whether nobody else reads the field: a processor does not store it, see 'taking'.
    """

    kind: str
    field: str
    component: int
    boxes: tuple[Placed, ...]
    result: Reduction
    restore: tuple[Swap[str], ...] = ()
    is_alone: bool = False


@dataclass(frozen=True, slots=True)
class Compute:
    """Give a parameter the value of a formula."""

    parameter: Parameter
    value: Parameter


@dataclass(frozen=True, slots=True)
class CallFunction:
    """Call a Python function."""

    callback: Callback
    restore: tuple[Swap[str], ...] = ()


@dataclass(frozen=True, slots=True)
class Poison:
    """Overwrite cells with signalling NaN."""

    field: str
    components: tuple[int, ...]
    boxes: tuple[Placed, ...]


@dataclass(frozen=True, slots=True)
class Check:
    """Search a field for values that are not numbers."""

    field: str
    boxes: tuple[Placed, ...]
    restore: tuple[Swap[str], ...] = ()


Exchanging = Start | Wait | WaitAny | Poll
Leaf = Run | Exchanging | Swap[str] | Reduce | Compute | CallFunction | Poison | Check
Operation = Leaf | Repeat[Any] | Every[Any] | Until[Any]


@dataclass(frozen=True, slots=True)
class Plan:
    """All decisions of one rank, made before the first step.

    Attributes:
        rank: Whose plan it is.
        strategy: The choices it follows.
        decomposition: Blocks and their owners.
        layouts: How each field is stored.
        launches: The kernels, by number.
        layers: For each of them where its producers run.
        exchanges: The exchanges, by position.
        prologue: Operations before the first step.
        steps: Operations of each step of a round.
        ends: Where fields lie after each of them.
        epilogues: What returns this rank's displaced values, after the last step, if
            it is that one of a round; then swaps restore the initial arrangement.
        checks: What searches for values that are not numbers, to be done at the end of a run too.
        executions: How each of the kernels runs; empty until that is decided for a platform.
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

    @property
    def has_devices(self) -> bool:
        """Whether it has been decided that kernels run on devices."""
        return any(how.threads for how in self.executions)

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The rank's blocks."""
        return self.decomposition.blocks_of(self.rank)

    def boxes_of(self, space: Space) -> list[Box]:
        """Return the cells of a space that the rank's blocks own."""
        blocks = self.decomposition.on(space)
        return [space.flat(block.box) for block in blocks.blocks_of(self.rank)]

    def layout(self, field: str) -> FieldLayout:
        """Return how a field is stored."""
        return next(layout for layout in self.layouts if layout.name == field)

    def bytes_of_largest_block(self, layout: FieldLayout) -> int:
        """Return what a field takes on the largest of the rank's blocks, with its halo [bytes]."""
        cells = max((layout.stored(box).cells for box in self.boxes_of(layout.space)), default=0)
        return cells * layout.components * layout.bytes_per_value

    def bytes_of(self, parts: Iterable[Part]) -> int:
        """Return the size of some parts [bytes]."""
        size = {layout.name: layout.bytes_per_value for layout in self.layouts}
        return sum(part.box.cells * size[part.field] for part in parts)

    def bytes_sent(self) -> int:
        """Return what leaves this rank in a step of a round on average, loops done once [bytes]."""
        started = [op.exchange for op in self.operations() if isinstance(op, Start)]
        sent = [self.bytes_of(m.parts) for n in started for m in self.exchanges[n].sends]
        return round(sum(sent) / len(self.steps))

    def operations(self) -> Iterator[Operation]:
        """Yield the operations of a round and those inside loops, in order."""
        for step in self.steps:
            yield from walk(step)

    def __str__(self) -> str:
        """Return the plan as text."""
        lines = [
            f"plan of rank {self.rank} of {self.decomposition.ranks}: "
            f"{self.decomposition.label} blocks, {self.strategy.neighbours} neighbours, "
            f"{self.strategy.width} width, overlap {self.strategy.overlap}, "
            f"transport {self.strategy.transport}"
        ]
        lines += [f"block   {block.number:<4d} {block.box}" for block in self.blocks]
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
        for n, end in enumerate(self.epilogues):
            operations = (*end, *self.ends[n].swaps_to(INITIAL))
            title = f"after step {n + 1}, if it is the last" if many else "at the end"
            lines += [title, *self._lines(operations, "  ")] if operations else []
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """Return the plan as Jupyter shows it."""
        return preformatted(str(self))

    def _start(self, step: int) -> Arrangement:
        """Return where fields lie when a step begins."""
        return self.ends[step - 1]

    def _meaning(self, step: int) -> tuple[object, ...]:
        """Return a step's operations with the names of the fields that lie in storages at first."""
        field = self._start(step).field

        def parts(found: Iterable[Part]) -> frozenset[Part]:
            return frozenset(replace(part, field=field(part.field)) for part in found)

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
                case Compute():
                    return [op]

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
        return lines

    def _line(self, op: Operation) -> str:
        match op:
            case Run(launch, zone, boxes, is_late):
                name = self.launches[launch].kernel.name
                count = sum(box.cells for _, box in boxes)
                plural = "es" if len(boxes) > 1 else ""
                line = f"run     {name:<20} {zone:<5}{count:>14,} cells in {len(boxes)} box{plural}"
                points = self.launches[launch].points
                line += "" if points is None else f", for {len(points.points):,} points"
                filling = self.launches[launch].filling
                line += "" if filling is None else f", with the series '{filling.series.name}'"
                line += self._produced(launch, boxes) + (", late" if is_late else "")
                return line + told(self.launches[launch])
            case Start(number) | Wait(number) | Poll(number):
                return f"{type(op).__name__.lower():<7} exchange {number}"
            case WaitAny(number, arrivals):
                return f"wait    any of exchange {number}, {len(arrivals)} pieces of work meanwhile"
            case Swap(first, second):
                return f"swap    {first}, {second}"
            case Repeat() | Every() | Until():
                return loop_title(op)
            case Compute(parameter, value):
                return f"compute {parameter.name} = {value.name}"
            case Reduce(kind, result=result, is_alone=True):
                return f"reduce  {kind} '{result.name}', evaluated before"
            case Reduce(kind, field, component):
                return f"reduce  {kind} of {field}[{component}]"
            case CallFunction(callback):
                return f"call    {getattr(callback.function, '__name__', 'function')}"
            case Poison(field, components, _):
                return f"poison  {field}, {len(components)} components"
            case Check(field):
                return f"check   {field}"

    def _produced(self, launch: int, boxes: Iterable[Placed]) -> str:
        """Return how many producers run with a kernel in some boxes, and in how many cells."""
        found = [
            # A layer of which cells of a row read the same is one cell wide there.
            max(layer.intersect(moved(box, offset)).cells for offset in producer.offsets)
            for number, box in boxes
            for producer, layer in zip(
                self.launches[launch].kernel.producers, self.layers[launch][number], strict=True
            )
            if layer is not None
        ]
        count = sum(cells > 0 for cells in found)
        return f", with {count} fused producers in {sum(found):,} cells" if count else ""

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


def walk(operations: Iterable[Operation]) -> Iterator[Operation]:
    """Yield operations and those inside others, in order."""
    for op in tree.walk(operations):
        yield op
        if isinstance(op, WaitAny):
            yield from (arrival.run for arrival in op.arrivals)
