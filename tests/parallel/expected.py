"""What cases must come to: the results of the interpreter on a single block."""

from __future__ import annotations

from functools import cache

import stencils
from parallel.cases import CASES, CHOICES, Case


def expected(case: Case) -> dict:
    """Return a sum of all bits of the fields, and reductions."""
    return _computed(case.problem, case.periodic, case.dtype)


@cache
def _computed(*what: str) -> dict:
    problem = stencils.make(*what)
    simulation = stencils.run(problem, target="numpy", threads=1)
    field = next(iter(problem.grid.fields.values()))
    return {
        "reductions": stencils.reductions(field, simulation),
        "crc": stencils.checksum(problem),
    }


def differing(found: dict[int, dict], ranks: int) -> str:
    """Return the cases whose fields, or reductions on any rank, have other bits; '' if none."""
    lines = []
    for number, result in found.items():
        case = CASES[number]
        wanted = expected(case)
        if result["crc"] != wanted["crc"]:
            lines.append(f"fields: {_named(case)}")
        if result["reductions"] != [wanted["reductions"]] * ranks:
            lines.append(f"reductions: {_named(case)}")
    return "\n".join(lines)


def _named(case: Case) -> str:
    return ", ".join(f"{name}={getattr(case, name)}" for name in CHOICES)
