"""Model: how long a step takes on a machine, by walking a rank's plan with a clock.

What is assumed: all ranks are as busy as this one and its neighbours run in step with it, unless
the predictions of all ranks are put together; a kernel takes the greater of its memory traffic and
its arithmetic; ranks of a node share memory and link equally; Python functions take no time. With
devices the step is that of the stream of kernels (docs/decisions/0021).
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from halocline.frozen import Frozen
from halocline.tune.in_step import round_s
from halocline.tune.walk import Walk
from halocline.tune.work import Placement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from halocline.plan.value.plan import Plan
    from halocline.tune.compacted_masks import CompactedMasks
    from halocline.tune.in_step import Pace
    from halocline.tune.machine import Machine


class Model(Frozen):
    """What predicts the time of a plan: a machine, how ranks sit on it, and the cells of masks."""

    machine: Machine
    placement: Placement
    masks: CompactedMasks | None = None


class Line(Frozen):
    """One kind of operation, as the report of a run has it.

    Attributes:
        kind: 'run', 'start', 'wait', …
        label: Kernel and zone, or exchange.
        count: How often a step.
        seconds: In all of a step [s].
    """

    kind: str
    label: str
    count: float
    seconds: float


class Prediction(Frozen):
    """The time of a step of one rank, averaged over the steps of a round.

    Attributes:
        compute: Kernels: memory traffic or arithmetic [s].
        pack: Packing, unpacking, copying, and what processors work at messages [s].
        overhead: Launches, boxes, rows, messages, polls [s].
        wait: Waiting for messages that have not arrived [s].
        other: Reductions, checks, poison [s].
        hidden: What messages took while the rank did something else; no part of the total [s].
        lines: The same by operation.
        steps: Steps of a round.
        pace: What the rank does in a round between messages.
    """

    compute: float
    pack: float
    overhead: float
    wait: float
    other: float
    hidden: float
    lines: tuple[Line, ...]
    steps: int
    pace: Pace

    @property
    def seconds(self) -> float:
        """The time of a step [s]."""
        return self.compute + self.pack + self.overhead + self.wait + self.other

    def of(self, kind: str, label: str) -> float:
        """Return the time of a kind of operation in a step, 0 if there is none [s]."""
        return sum(line.seconds for line in self.lines if (line.kind, line.label) == (kind, label))

    def __str__(self) -> str:
        """Return the total, its parts, and a line for each operation."""
        parts = ("compute", "pack", "overhead", "wait", "other")
        shares = [f"{name} {getattr(self, name) * 1e6:.1f}" for name in parts]
        head = f"{self.seconds * 1e6:.1f} us a step: {', '.join(shares)}"
        lines = [
            f"  {line.kind:<7}{line.label:<27}{line.count:>9.2f}{line.seconds * 1e6:>12.2f} us"
            for line in self.lines
        ]
        return "\n".join([f"{head}; hidden {self.hidden * 1e6:.1f}", *lines])


def in_step(predictions: Sequence[Prediction]) -> dict[tuple[str, str], float]:
    """Return what operations take of a step, on average over the ranks, by kind and label [s].

    Under ('step', '') is the time of the whole step, in which ranks wait for each other.

    Args:
        predictions: Of each rank.
    """
    seconds: dict[tuple[str, str], float] = defaultdict(float)
    for prediction in predictions:
        for line in prediction.lines:
            seconds[line.kind, line.label] += line.seconds / len(predictions)
    whole = round_s([prediction.pace for prediction in predictions]) / predictions[0].steps
    return {**seconds, ("step", ""): whole}


def predict_step(
    plan: Plan,
    machine: Machine,
    placement: Placement | None = None,
    masks: CompactedMasks | None = None,
) -> Prediction:
    """Return the predicted time of a step, the first ones aside.

    Args:
        plan: Of the rank whose step is timed; one with all its neighbours is the slowest.
        machine: The machine.
        placement: Ranks a node and threads a rank; None for nodes filled with ranks.
        masks: The masks of kernels; None where they are not known: then kernels are taken to run in
            whole boxes.

    Raises:
        MachineError: The machine has no times of a transport that the plan needs.
    """
    where = placement or Placement.full(machine, plan.decomposition.ranks)
    walk = Walk(plan, machine, where, masks)
    # The first round is not typical: what a step starts for the next one has not been started.
    walk.round()
    walk.time.forget()
    walk.round()
    steps = len(plan.steps)
    lines = tuple(
        Line(*key, count / steps, seconds / steps)
        for key, (count, seconds) in walk.time.lines.items()
        if count
    )
    parts = {part: seconds / steps for part, seconds in walk.time.parts.items()}
    return Prediction(**parts, lines=lines, steps=steps, pace=walk.time.pace)
