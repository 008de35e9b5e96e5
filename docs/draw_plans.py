"""Draw how plans are derived, from real plans: 'make pictures' writes docs/pictures/plans/*.svg.

Nothing here is drawn by hand: which cells are received, recomputed or computed late, and which
storage a step reads, are read from the plans of the middle rank of 3 x 3. The colours have medium
brightness, so that the drawings are readable on light and dark pages.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import halocline as hc
import halocline.lbm as lbm
from halocline.geometry import Box
from halocline.plan.cells.strategy import Strategy
from halocline.plan.pipeline import plan_for
from halocline.plan.program.arrangement import INITIAL
from halocline.plan.value.operations import Poll, Run, Start, Wait, walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from halocline.plan.value.operations import Operation
    from halocline.plan.value.plan import Plan

FOLDER = Path(__file__).parent / "pictures" / "plans"
CELL = 22  # pixels
INK, OWN, RIM, RECEIVED, AGAIN = "#747e88", "#4f86b5", "#cc8233", "#3f9a6c", "#9470b5"
BLOCK = Box((8, 6), (16, 12))  # of rank 4 of 9


@dataclass
class Drawing:
    """Shapes of an SVG file, in pixels."""

    width: int
    height: int
    shapes: list[str] = field(default_factory=list)

    def rectangle(self, x: float, y: float, width: float, height: float, colour: str) -> None:
        """Add a filled rectangle."""
        self.shapes.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" fill="{colour}"/>'
        )

    def arrow(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """Add an arrow."""
        ends = " ".join(
            f'{name}="{value:g}"'
            for name, value in zip(("x1", "y1", "x2", "y2"), (*start, *end), strict=True)
        )
        self.shapes.append(
            f'<line {ends} stroke="{INK}" stroke-width="2" marker-end="url(#head)"/>'
        )

    def text(
        self, x: float, y: float, words: str, *, colour: str = INK, anchor: str = "start"
    ) -> None:
        """Add a line of text."""
        self.shapes.append(
            f'<text x="{x:g}" y="{y:g}" fill="{colour}" text-anchor="{anchor}">{words}</text>'
        )

    def key(self, x: float, y: float, entries: Sequence[tuple[str, str]]) -> None:
        """Explain colours, one above the other."""
        for row, (colour, words) in enumerate(entries):
            self.rectangle(x, y + 24 * row, 14, 14, colour)
            self.text(x + 22, y + 24 * row + 12, words)

    def svg(self) -> str:
        """Return the file's text."""
        return "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}"'
                ' font-family="sans-serif" font-size="14">',
                '<defs><marker id="head" markerWidth="8" markerHeight="8" refX="6" refY="3"'
                f' orient="auto"><path d="M0,0 L6,3 L0,6" fill="{INK}"/></marker></defs>',
                *self.shapes,
                "</svg>\n",
            ]
        )


@dataclass(frozen=True)
class Cells:
    """A panel of cells around the block, two beyond each side; y points upwards."""

    drawing: Drawing
    left: float
    top: float
    around: int = 2

    @property
    def width(self) -> float:
        """The panel's width [pixels]."""
        return CELL * (BLOCK.upper[0] - BLOCK.lower[0] + 2 * self.around)

    def _place(self, cell: tuple[int, int]) -> tuple[float, float]:
        across = cell[0] - BLOCK.lower[0] + self.around
        down = BLOCK.upper[1] - 1 - cell[1] + self.around
        return self.left + CELL * across, self.top + CELL * down

    def fill(self, boxes: Iterable[Box], colour: str) -> None:
        """Colour the cells of boxes."""
        for cell in cells_of(boxes):
            x, y = self._place(cell)
            self.drawing.rectangle(x + 1, y + 1, CELL - 2, CELL - 2, colour)

    def label(self, numbers: Counter[tuple[int, int]]) -> None:
        """Write numbers into cells."""
        for cell, number in sorted(numbers.items()):
            x, y = self._place(cell)
            self.drawing.text(x + CELL / 2, y + 16, str(number), colour="#ffffff", anchor="middle")

    def caption(self, words: str) -> None:
        """Write a line above the panel."""
        self.drawing.text(self.left + self.width / 2, self.top - 8, words, anchor="middle")


def cells_of(boxes: Iterable[Box]) -> list[tuple[int, int]]:
    """Return the cells of boxes."""
    ranges = [[range(a, b) for a, b in zip(box.lower, box.upper, strict=True)] for box in boxes]
    return [(x, y) for along in ranges for x, y in product(*along)]


def received(plan: Plan) -> Counter[tuple[int, int]]:
    """Return how many values of each halo cell the first exchange brings."""
    messages = plan.exchanges[0].receives
    return Counter(cells_of(part.box for message in messages for part in message.parts))


def runs(operations: Iterable[Operation]) -> list[Run]:
    """Return the runs of a step."""
    return [op for op in walk(operations) if isinstance(op, Run)]


def boxes_of(run: Run) -> list[Box]:
    """Return the boxes of a run."""
    return [box for _, box in run.boxes]


@hc.kernel
def smooth(t, s):
    """Take a mean of a cell and its neighbours."""
    s[0, 0] = 0.5 * t[0, 0] + 0.125 * (t[1, 0] + t[-1, 0] + t[0, 1] + t[0, -1])


@hc.kernel
def heat(t, t_new):
    """Diffuse by one step."""
    t_new[0, 0] = t[0, 0] + 0.1 * (t[1, 0] + t[-1, 0] + t[0, 1] + t[0, -1] - 4 * t[0, 0])


def heat_plan(strategy: Strategy, *, smoothed: bool = False) -> Plan:
    """Return the middle rank's plan of heat diffusion, after a smoother or alone."""
    grid = hc.Grid((24, 18), periodic=(True, True))
    t, s, t_new = grid.field("T"), grid.field("S"), grid.field("T_new")
    kernels = [smooth(t, s), heat(s, t_new)] if smoothed else [heat(t, t_new)]
    steps = [*kernels, hc.swap(t, t_new)]
    return plan_for(grid, steps, ranks=9, rank=4, decomposition=(3, 3), strategy=strategy)


def lattice_plan() -> Plan:
    """Return the middle rank's plan of a D2Q9 flow in a periodic box."""
    flow = lbm.make_flow(lbm.Setup(extent=(24, 18), lattice="D2Q9", omega=1.5))
    return plan_for(flow.grid, flow.steps, ranks=9, rank=4, decomposition=(3, 3))


def reach() -> Drawing:
    """Draw which values the exchange brings: for a star of five points and for D2Q9."""
    drawing = Drawing(620, 300)
    plans = (("heat, five points", heat_plan(Strategy())), ("D2Q9", lattice_plan()))
    for number, (title, plan) in enumerate(plans):
        panel = Cells(drawing, 20 + 310 * number, 30)
        values = received(plan)
        panel.fill([BLOCK], OWN)
        panel.fill([Box((x, y), (x + 1, y + 1)) for x, y in values], RECEIVED)
        panel.label(values)
        panel.caption(title)
    drawing.key(20, 260, [(OWN, "own cells")])
    drawing.key(160, 260, [(RECEIVED, "received; the number says how many values a cell")])
    return drawing


def chain() -> Drawing:
    """Draw two kernels that share an exchange."""
    drawing = Drawing(620, 340)
    plan = heat_plan(Strategy(recompute="all", overlap="none"), smoothed=True)
    for number, run in enumerate(runs(plan.steps[0])):
        panel = Cells(drawing, 20 + 310 * number, 30)
        if number == 0:
            panel.fill([Box((x, y), (x + 1, y + 1)) for x, y in received(plan)], RECEIVED)
        panel.fill(boxes_of(run), AGAIN)
        panel.fill([BLOCK], OWN)
        panel.caption(f"{number + 1}. {plan.launches[run.launch].kernel.name}")
    keys = [
        (OWN, "own cells"),
        (AGAIN, "cells of neighbours, recomputed"),
        (RECEIVED, "received, not computed"),
    ]
    drawing.key(20, 260, keys)
    return drawing


def core_and_rim() -> Drawing:
    """Draw core and rim, and the order of operations."""
    drawing = Drawing(620, 300)
    plan = heat_plan(Strategy(overlap="core-first"))
    panel = Cells(drawing, 20, 30)
    panel.fill([Box((x, y), (x + 1, y + 1)) for x, y in received(plan)], RECEIVED)
    for run in runs(plan.steps[0]):
        panel.fill(boxes_of(run), OWN if run.zone == "core" else RIM)
    panel.caption("rank 4 of 9")
    entries = list(order(plan.steps[0]))
    for row, (words, colour) in enumerate(entries):
        y = 34 + 30 * row
        drawing.rectangle(340, y, 14, 20, colour)
        drawing.text(364, y + 15, words)
    drawing.arrow((330, 34), (330, 34 + 30 * len(entries)))
    drawing.text(340, 22, "time")
    drawing.key(20, 260, [(OWN, "core")])
    drawing.key(110, 260, [(RIM, "rim")])
    drawing.key(190, 260, [(RECEIVED, "received")])
    return drawing


def order(operations: Iterable[Operation]) -> Iterable[tuple[str, str]]:
    """Yield what a step does until its last run, runs of the same zone once."""
    before = None
    for op in operations:
        match op:
            case Start():
                yield "start the exchange", RECEIVED
            case Poll():
                continue
            case Wait():
                yield "wait for the messages", RECEIVED
            case Run() if op.zone != before:
                yield f"run the {op.zone}", OWN if op.zone == "core" else RIM
                before = op.zone


def storages() -> Drawing:
    """Draw which storage two steps read and write."""
    drawing = Drawing(620, 190)
    plan = heat_plan(Strategy(overlap="none"))
    top = {"T": 40, "T_new": 120}
    for name, y in top.items():
        drawing.rectangle(20, y, 560, 34, OWN)
        drawing.text(30, y + 22, f"storage {name}", colour="#ffffff")
    for number, operations in enumerate(plan.steps):
        (run,) = runs(operations)
        launch = plan.launches[run.launch]
        source, target = launch.names
        x = 230 + 200 * number
        ends = (74, 114) if top[source] < top[target] else (120, 80)
        drawing.arrow((x, ends[0]), (x, ends[1]))
        drawing.text(x + 12, 102, f"step {number + 1}: {launch.kernel.name}")
        arrangement = plan.ends[number - 1] if number else INITIAL
        for storage, y in top.items():
            words = f"field {arrangement.field(storage)}"
            drawing.text(x, y + 22, words, colour="#ffffff", anchor="middle")
    drawing.text(20, 180, "A swap moves nothing: the next step reads the other storage.")
    return drawing


DRAWINGS = {"reach": reach, "chain": chain, "core_and_rim": core_and_rim, "storages": storages}


def main() -> None:
    """Write all drawings."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, draw in DRAWINGS.items():
        (FOLDER / f"{name}.svg").write_text(draw().svg(), encoding="utf-8")


if __name__ == "__main__":
    main()
