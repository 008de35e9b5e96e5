"""Report: where the time of a run went, over all ranks."""

from __future__ import annotations

from statistics import mean
from typing import TYPE_CHECKING

from halocline.analysis.cost import cost
from halocline.frozen import Frozen
from halocline.language.points.at_points import AtPoints
from halocline.plan.passes.wavefronts import bytes_in_wavefront
from halocline.plan.value import operations as ops

if TYPE_CHECKING:
    from collections.abc import Mapping

    from halocline.language.grids.forest import Size
    from halocline.plan.blocks.balance import Balance
    from halocline.plan.value.plan import Plan
    from halocline.runtime.timers import Timer

_LAUNCHED = "times of operations are those of launching them; the device works on meanwhile"


class Row(Frozen):
    """One kind of operation over all ranks.

    Attributes:
        kind: 'run', 'start', 'wait', …
        label: Kernel and zone, or exchange.
        count: How often it ran on a rank, at most.
        least: Least time of a rank [s].
        mean: Mean time over the ranks [s].
        most: Greatest time of a rank [s].
        bytes_per_s: For kernels on processors, what all ranks must move by the mean time; else 0.
        predicted: Time of a rank by the model; None if it says nothing [s].
    """

    kind: str
    label: str
    count: int
    least: float
    mean: float
    most: float
    bytes_per_s: float
    predicted: float | None


class Report(Frozen):
    """Times of a run. Rows are filled on rank 0 only.

    Attributes:
        ranks: Number of ranks.
        steps: Steps done, as far as the report is about them.
        seconds: Wall-clock time of the runs on this rank [s].
        cells: Cells of the domain; of a forest those of all leaves.
        updates: How many are computed in a step: those of finer levels as often as they step.
        rows: One for each kind of operation.
        strategy: How communication was done and why, as text.
        predicted_s: What the model says a step takes; 0 if it says nothing [s].
        bytes_stored: What all fields take in memory, halos and padding included [bytes].
        balance: How evenly blocks are shared, by their weights.
        link: The emulated link between nodes, as text; empty if there was none.
        device: Where kernels ran and why, as text; empty for a processor that was asked for.
        is_on_device: Whether operations were launched on a device: their times are those of
            launching, and say nothing of how long the device then works.
        later_steps: Steps done since, which the report is not about.
        levels: Where what kernels read comes from, as text; empty on devices.
        measured_imbalance: Time of the kernels of the rank that has most, over the mean of all
            ranks; 0 if it was not measured.

    Example:
        >>> grid = hc.Grid((8, 8))
        >>> simulation = hc.Simulation(grid, [hc.sum(grid.field("T"))])
        >>> simulation.run(2, progress=False)
        >>> report = simulation.report()
        >>> report.steps, report.cells
        (2, 64)
    """

    ranks: int
    steps: int
    seconds: float
    cells: int
    updates: int
    rows: tuple[Row, ...]
    strategy: str
    predicted_s: float
    bytes_stored: int
    balance: Balance
    link: str = ""
    device: str = ""
    is_on_device: bool = False
    later_steps: int = 0
    levels: tuple[str, ...] = ()
    measured_imbalance: float = 0.0

    def __repr__(self) -> str:
        """Return what a run did; 'print' shows where the time went."""
        return f"<report of {str(self).partition(chr(10))[0]}; print shows it>"

    @property
    def rate(self) -> float:
        """Million cells updated a second."""
        return self.steps * self.updates / self.seconds / 1e6 if self.seconds else 0.0

    def __str__(self) -> str:
        """Return a table."""
        updates = f", {self.updates:,} updates each," if self.updates != self.cells else ""
        lines = [
            f"{self.steps} steps of {self.cells:,} cells{updates} on {self.ranks} rank(s) in "
            f"{self.seconds:.3f} s: {self.rate:.1f} million cells/s",
            *([f"{self.later_steps} later steps are not counted"] if self.later_steps else []),
            f"fields take {self.bytes_stored / 1e6:,.1f} MB, "
            f"{self.bytes_stored / self.cells:.1f} bytes a cell",
            *self._share(),
            *([f"messages between nodes on an emulated link: {self.link}"] if self.link else []),
            *([self.device] if self.device else []),
            *([_LAUNCHED] if self.is_on_device else []),
            *self._step_times(),
            f"{'':<34}{'count':>9}{'min s':>10}{'mean s':>10}{'max s':>10}{'model s':>10}"
            f"{'share':>8}{'GB/s':>8}",
        ]
        for row in self.rows:
            share = row.mean / self.seconds if self.seconds else 0.0
            speed = f"{row.bytes_per_s / 1e9:8.1f}" if row.bytes_per_s else ""
            model = f"{row.predicted:10.3f}" if row.predicted is not None else f"{'':10}"
            lines.append(
                f"{row.kind:<7}{row.label:<27}{row.count:>9}{row.least:>10.3f}{row.mean:>10.3f}"
                f"{row.most:>10.3f}{model}{share:>8.1%}{speed}"
            )
        working = [row for row in self.rows if row.kind == "run"]
        if self.ranks > 1 and working and not self.is_on_device:
            imbalance = sum(row.most for row in working) - sum(row.mean for row in working)
            lines.append(f"imbalance time of kernels at most {imbalance:.3f} s")
        return "\n".join([*lines, *self.levels, self.strategy])

    def _share(self) -> list[str]:
        """Return how evenly blocks are shared, by weight and as measured, and what bounds it."""
        if self.ranks == 1:
            return []
        timed = f", {self.measured_imbalance:.3f} by the time of its kernels"
        return [
            f"the rank with most work has {self.balance.imbalance:.3f} times the mean by weight"
            f"{timed if self.measured_imbalance else ''}; "
            f"the heaviest block alone has {self.balance.heaviest:.3f}"
        ]

    def _step_times(self) -> list[str]:
        """Return the time of a step as measured and as predicted."""
        if not (self.steps and self.predicted_s):
            return []
        measured = self.seconds / self.steps
        return [
            f"a step took {measured * 1e6:.1f} us, {self.predicted_s * 1e6:.1f} us by the model "
            f"({self.predicted_s / measured - 1:+.0%})"
        ]


class Timings(Frozen):
    """The times of all ranks, for a report.

    Attributes:
        ranks: Of each rank the times of its operations, and what its kernels must move; known on
            rank 0 only.
        steps: Steps done until then.
        seconds: Wall-clock time of them on this rank [s].
        strategy: How communication was done and why, as text.
        bytes_stored: See 'Report'.
        size: How much there is to compute.
    """

    ranks: list[tuple[list[Timer], dict[str, float]]]
    steps: int
    seconds: float
    strategy: str
    bytes_stored: int
    size: Size

    @property
    def imbalance(self) -> float:
        """The greatest time of a rank's kernels over the mean of all ranks."""
        times = [
            sum(seconds for _, kind, _, seconds in timers if kind == "run")
            for timers, _ in self.ranks
        ]
        return max(times) * len(times) / sum(times) if sum(times) else 0.0

    def rows(
        self, predicted: Mapping[tuple[str, str], float], *, is_on_device: bool
    ) -> tuple[Row, ...]:
        """Return a row for each kind of operation.

        Args:
            predicted: Time of an operation in a step by its kind and label, as the model says; may
                be empty [s].
            is_on_device: Whether operations were launched on a device.
        """
        keys = dict.fromkeys(
            (kind, label) for timers, _ in self.ranks for label, kind, _, _ in timers
        )
        rows = [self._row(key, predicted.get(key), is_on_device=is_on_device) for key in keys]
        return tuple(row for row in rows if row.count)

    def _row(self, key: tuple[str, str], predicted: float | None, *, is_on_device: bool) -> Row:
        kind, label = key
        counts, times, moved = [], [], 0.0
        for timers, sizes in self.ranks:
            timer = next((t for t in timers if t[:2] == (label, kind)), (label, kind, 0, 0.0))
            counts.append(timer[2])
            times.append(timer[3])
            moved += sizes.get(label, 0.0) * timer[2] if kind == "run" else 0.0
        total = sum(times)
        return Row(
            kind=kind,
            label=label,
            count=max(counts),
            least=min(times),
            mean=mean(times),
            most=max(times),
            bytes_per_s=moved / total * len(times) if total and not is_on_device else 0.0,
            predicted=None if predicted is None else predicted * self.steps,
        )


def bytes_by_label(plan: Plan) -> dict[str, float]:
    """Return the bytes that an execution of each labelled kernel must move here, on average."""
    moved: dict[str, list[int]] = {}
    blocks = [op for block in plan.temporal_blocks for op in ops.walk(block.operations)]
    for op in (*plan.operations(), *blocks):
        if isinstance(op, ops.Wavefront):
            moved.setdefault(plan.label(op), []).append(bytes_in_wavefront(plan, op))
        elif isinstance(op, ops.Run):
            launch = plan.launches[op.launch]
            if isinstance(launch.body, AtPoints):
                continue
            kernel = launch.code
            cells = sum(box.cells for _, box in op.boxes)
            moved.setdefault(plan.label(op), []).append(cost(kernel).bytes * cells)
    return {label: mean(sizes) for label, sizes in moved.items()}
