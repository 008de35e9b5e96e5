"""Random programs on the ranks this was started with; every rank draws the same ones.

mpiexec -n N python random_programs.py EXAMPLES [SEED]
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

import numpy as np
from hypothesis import HealthCheck, Phase, assume, given, seed, settings
from hypothesis import strategies as st
from property.programs import (
    assume_blocks_are_wide_enough,
    build,
    decompositions,
    programs,
    strategies,
)
from property.test_programs import STEPS, meaning

import halocline as hc
from halocline.errors import PlanError
from halocline.pipeline import plan_for
from halocline.runtime.job import Job, join


def difference(choice, split, strategy) -> str:
    """Return where many ranks differ from the whole array; nothing on ranks other than 0."""
    grid, steps = build(choice)
    simulation = hc.Simulation(
        grid, steps, check_every=0, threads=1, decomposition=split, strategy=strategy
    )
    simulation.run(STEPS, progress=False)
    found = {name: field.gather() for name, field in grid.fields.items()}
    if simulation.rank > 0:
        return ""
    for name, array in meaning(choice).items():
        if found[name].tobytes() != np.ascontiguousarray(array).tobytes():
            cells = np.argwhere(np.atleast_1d(found[name] != array))
            return f"{name} differs in {len(cells)} cells, first {cells[:1].tolist()}"
    return ""


def check(job: Job, data) -> None:
    """Draw a program, a decomposition and a strategy, and compare."""
    choice = data.draw(programs())
    split = data.draw(decompositions(choice.extent, choice.periodic))
    assume(split.blocks >= job.size)
    split = hc.Decomposition(split.cuts, split.periodic, job.size)
    strategy = data.draw(strategies)
    grid, steps = build(choice)
    for rank in range(job.size):
        try:
            plan_for(
                grid,
                steps,
                ranks=job.size,
                rank=rank,
                strategy=strategy,
                decomposition=split,
                check_every=0,
            )
        except PlanError as error:
            # Every rank looks at the plans of all, for they must pass over the same examples.
            assume_blocks_are_wide_enough(error)
    # What rank 0 has found fails everywhere, so that all ranks draw the same next example.
    found = job.first(difference(choice, split, strategy) or None)
    assert found is None, f"{found}\n{strategy}\n{split}\n{choice}"


def main() -> None:
    job = join()
    number = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    options = settings(
        max_examples=int(sys.argv[1]),
        database=None,
        deadline=None,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
    )
    seed(number)(options(given(st.data())(lambda data: check(job, data))))()
    if job.rank == 0:
        print("no difference")


if __name__ == "__main__":
    main()
