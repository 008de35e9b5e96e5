"""Random programs on the ranks this was started with; every rank draws the same ones.

mpiexec -n N python random_programs.py PROGRAMS [SEED]

Rank 0 prints as JSON how often everything of the language and of strategies occurred.
"""

from __future__ import annotations

import json
import sys
import traceback
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from hypothesis import HealthCheck, Phase, assume, given, seed, settings
from hypothesis import strategies as st
from property.features import features
from property.runs import check

from halocline.runtime.job import join

# Every so many programs, one is compiled.
COMPILED = 4


def main() -> None:
    job = join()
    occurred: Counter[str] = Counter()

    @seed(int(sys.argv[2]) if len(sys.argv) > 2 else 0)
    @settings(
        max_examples=int(sys.argv[1]),
        database=None,
        deadline=None,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
    )
    @given(st.randoms(use_true_random=False))
    def each(random):
        target = "numpy" if random.randrange(COMPILED) else "c++"
        try:
            found = check(random, target, job.size)
        except AssertionError:
            raise
        except Exception:
            # Perhaps on this rank alone: the others would wait for ever.
            traceback.print_exc()
            job.communicator.Abort(1)
        assume(found is not None)
        occurred.update(features(*found))

    each()
    if job.rank == 0:
        print(json.dumps(occurred))


if __name__ == "__main__":
    main()
