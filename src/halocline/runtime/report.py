"""Report: where the time of a run went, over all ranks."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from statistics import mean
from typing import TYPE_CHECKING

from halocline.analysis.cost import cost
from halocline.plan import plan as ops

if TYPE_CHECKING:
    from halocline.plan.plan import Plan
    from halocline.runtime.job import Job

# label, kind, count, seconds; as the runtime counts them on one rank
Timer = tuple[str, str, int, float]


@dataclass(frozen=True, slots=True)
class Row:
    """One kind of operation over all ranks.

    Attributes:
        kind: 'run', 'start', 'wait', …
        label: Kernel and zone, or exchange.
        count: How often it ran on a rank, at most.
        least: Least time of a rank [s].
        mean: Mean time over the ranks [s].
        most: Greatest time of a rank [s].
        bytes_per_s: For kernels, what all ranks must move by the mean time; else 0.
    """

    kind: str
    label: str
    count: int
    least: float
    mean: float
    most: float
    bytes_per_s: float


@dataclass(frozen=True, slots=True)
class Report:
    """Times of a run. Rows are filled on rank 0 only.

    Attributes:
        ranks: Number of ranks.
        steps: Steps done.
        seconds: Wall-clock time of the runs on this rank [s].
        cells: Cells of the domain.
        rows: One for each kind of operation.
        link: The emulated link between nodes, as text; empty if there was none.
    """

    ranks: int
    steps: int
    seconds: float
    cells: int
    rows: tuple[Row, ...]
    link: str = ""

    @property
    def rate(self) -> float:
        """Million cells updated a second."""
        return self.steps * self.cells / self.seconds / 1e6 if self.seconds else 0.0

    def __str__(self) -> str:
        """Return a table."""
        lines = [
            f"{self.steps} steps of {self.cells:,} cells on {self.ranks} rank(s) in "
            f"{self.seconds:.3f} s: {self.rate:.1f} million cells/s",
            *([f"messages between nodes on an emulated link: {self.link}"] if self.link else []),
            f"{'':<34}{'count':>9}{'min s':>10}{'mean s':>10}{'max s':>10}{'share':>8}{'GB/s':>8}",
        ]
        for row in self.rows:
            share = row.mean / self.seconds if self.seconds else 0.0
            speed = f"{row.bytes_per_s / 1e9:8.1f}" if row.bytes_per_s else ""
            lines.append(
                f"{row.kind:<7}{row.label:<27}{row.count:>9}{row.least:>10.3f}{row.mean:>10.3f}"
                f"{row.most:>10.3f}{share:>8.1%}{speed}"
            )
        working = [row for row in self.rows if row.kind == "run"]
        if self.ranks > 1 and working:
            imbalance = sum(row.most for row in working) - sum(row.mean for row in working)
            lines.append(f"imbalance time of kernels at most {imbalance:.3f} s")
        return "\n".join(lines)


def make_report(timers: list[Timer], plan: Plan, job: Job, seconds: float, steps: int) -> Report:
    """Return the report of a run; all ranks must call it."""
    found = job.gather((timers, _bytes_by_label(plan)))
    rows = _rows(found) if found is not None else ()
    link = str(job.link) if job.link else ""
    return Report(job.size, steps, seconds, prod(plan.decomposition.extent), rows, link)


def _bytes_by_label(plan: Plan) -> dict[str, float]:
    """Return the bytes that an execution of each labelled kernel must move here, on average."""
    moved: dict[str, list[int]] = {}
    for op in plan.operations():
        if isinstance(op, ops.Run):
            kernel = plan.launches[op.launch].kernel
            cells = sum(box.cells for _, box in op.boxes)
            moved.setdefault(f"{kernel.name} {op.zone}", []).append(cost(kernel).bytes * cells)
    return {label: mean(sizes) for label, sizes in moved.items()}


def _rows(found: list[tuple[list[Timer], dict[str, float]]]) -> tuple[Row, ...]:
    keys = dict.fromkeys((kind, label) for timers, _ in found for label, kind, _, _ in timers)
    rows = [_row(kind, label, found) for kind, label in keys]
    return tuple(row for row in rows if row.count)


def _row(kind: str, label: str, found: list[tuple[list[Timer], dict[str, float]]]) -> Row:
    counts, times, moved = [], [], 0.0
    for timers, sizes in found:
        timer = next((t for t in timers if t[:2] == (label, kind)), (label, kind, 0, 0.0))
        counts.append(timer[2])
        times.append(timer[3])
        moved += sizes.get(label, 0.0) * timer[2] if kind == "run" else 0.0
    total = sum(times)
    speed = moved / total * len(times) if total else 0.0
    return Row(kind, label, max(counts), min(times), mean(times), max(times), speed)
