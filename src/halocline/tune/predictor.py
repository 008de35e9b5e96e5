"""Predictor: how the time of a job's steps is predicted before any is done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halocline.frozen import Frozen
from halocline.tune.machine import MachineError
from halocline.tune.machines import machine_here
from halocline.tune.model import Model
from halocline.tune.sides import side_prices
from halocline.tune.work import Placement

if TYPE_CHECKING:
    from halocline.plan.cells.strategy import Strategy
    from halocline.plan.program.program import Program
    from halocline.runtime.job import Job
    from halocline.tune.machine import Machine


class Predictor(Frozen):
    """The model of a job's steps.

    Attributes:
        placement: How the ranks are placed on nodes.
        machine: The machine of the model; None if there is no model.
        missing: Why there is no model and no strategy is tried; empty otherwise.
        device: The name of the devices that compute, for which strategies are tried without a
            model; else empty.
        is_calibrated: Whether the rates of its kernels were measured in this job: once, however
            often blocks change.
    """

    placement: Placement
    machine: Machine | None = None
    missing: str = ""
    device: str = ""
    is_calibrated: bool = False

    @property
    def model(self) -> Model | None:
        """The model; None if there is none."""
        return Model(self.machine, self.placement) if self.machine else None


def predictor_of(job: Job, threads: int, device: str = "") -> Predictor:
    """Return the predictor of a job; collective."""
    placement = Placement(job.nodes.count(job.nodes[0]), threads, job.ranks_on_node)
    if job.process is not None:
        return Predictor(placement, missing="virtual ranks share the processors of one")
    if device:
        return Predictor(placement, device=device)
    try:
        machine = job.from_first(machine_here)
    except MachineError as error:
        return Predictor(placement, missing=str(error))
    assert machine is not None
    if job.link is not None:
        link = job.link
        machine = machine.with_link(link.name, link.latency_s, link.seconds_per_byte)
    return Predictor(placement, machine)


def prices_here(
    program: Program, strategy: Strategy, job: Job, predictor: Predictor
) -> tuple[float, ...] | None:
    """Return the cost of a cell of a block's sides across each axis; None if unknown [s]."""
    if predictor.model is None:
        return None
    near = len(set(job.nodes)) == 1
    try:
        return side_prices(program, strategy, predictor.model.machine, is_same_node=near)
    except MachineError:
        return None
