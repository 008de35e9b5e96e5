"""Report: where the time of a run went, over all ranks."""

from __future__ import annotations

from dataclasses import dataclass
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
        bytes_per_s: For kernels, bytes that must move by the mean time; else 0.
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
    """

    ranks: int
    steps: int
    seconds: float
    cells: int
    rows: tuple[Row, ...]

    @property
    def rate(self) -> float:
        """Million cells updated a second."""
        return self.steps * self.cells / self.seconds / 1e6 if self.seconds else 0.0

    def __str__(self) -> str:
        """Return a table."""
        lines = [
            f"{self.steps} steps of {self.cells:,} cells on {self.ranks} rank(s) in "
            f"{self.seconds:.3f} s: {self.rate:.1f} million cells/s",
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
    cells = 1
    for n in plan.decomposition.extent:
        cells *= n
    rows = _rows(found) if found is not None else ()
    return Report(job.size, steps, seconds, cells, rows)


def _bytes_by_label(plan: Plan) -> dict[str, int]:
    """Return the bytes that one execution of each labelled kernel must move on this rank."""
    result: dict[str, int] = {}
    for op in ops.walk(plan.step):
        if isinstance(op, ops.Run):
            kernel = plan.launches[op.launch].kernel
            label = f"{kernel.name} {op.zone}"
            moved = cost(kernel).bytes * sum(box.cells for _, box in op.boxes)
            result[label] = result.get(label, 0) + moved
    return result


def _rows(found: list[tuple[list[Timer], dict[str, int]]]) -> tuple[Row, ...]:
    keys = dict.fromkeys((kind, label) for timers, _ in found for label, kind, _, _ in timers)
    return tuple(_row(kind, label, found) for kind, label in keys)


def _row(kind: str, label: str, found: list[tuple[list[Timer], dict[str, int]]]) -> Row:
    entries = [
        next(((n, s) for name, k, n, s in timers if (k, name) == (kind, label)), (0, 0.0))
        for timers, _ in found
    ]
    count = max(n for n, _ in entries)
    times = [s for _, s in entries]
    mean = sum(times) / len(times)
    return Row(kind, label, count, min(times), mean, max(times), 0.0)
