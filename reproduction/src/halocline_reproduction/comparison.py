"""Comparison: variants of a step, measured here and predicted for a paper's machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from halocline.bench.settings import Settings
from halocline.frozen import Frozen
from halocline.io.results import Row, Table
from halocline.tune.machine import Machine
from halocline.tune.work import Placement
from halocline_reproduction.configuration import Configuration, StepTimes, measure, predict


class Variant(Frozen):
    """A way of doing a step.

    Attributes:
        case: The grid, or the edge of a block.
        name: The way, in words or as a number.
        base: The way of the same case to which it is related.
        here: What is measured.
        there: The same on the paper's machine.
        placement: There.
    """

    case: str | int
    name: str | int
    base: str | int
    here: Configuration
    there: Configuration
    placement: Placement


def compare(
    variants: Sequence[Variant],
    machine: Machine,
    settings: Settings,
    printed: Mapping[str, Mapping[Any, float]],
) -> Table:
    """Measure and predict variants.

    Args:
        variants: What is compared.
        machine: For which it is predicted.
        settings: How to measure.
        printed: Of the paper: by column, case and name of a variant.
    """
    found = measure((variant.here for variant in variants), settings)
    here = {(v.case, v.name): found[v.here] for v in variants}
    there = {(v.case, v.name): predict(v.there, machine, v.placement) for v in variants}
    rows: list[Row] = [
        {
            "case": v.case,
            "variant": v.name,
            "note": settings.mark(v.here.ranks, v.here.threads),
            **_columns("", here[v.case, v.name], here[v.case, v.base]),
            **_columns("predicted ", there[v.case, v.name], there[v.case, v.base]),
            **{name: of[v.case, v.name] for name, of in printed.items() if (v.case, v.name) in of},
        }
        for v in variants
    ]
    return Table(f"a step here and predicted for '{machine.name}'", rows)


def _columns(prefix: str, times: StepTimes, base: StepTimes) -> dict[str, float]:
    return {
        f"{prefix}step [us]": 1e6 * times.median(),
        f"{prefix}computing [us]": 1e6 * times.median("computing"),
        f"{prefix}exchange [us]": 1e6 * times.median("exchange"),
        f"{prefix}relative": times.median() / base.median(),
    }
