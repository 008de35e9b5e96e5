"""Random programs on the ranks this was started with; every rank draws the same ones.

mpiexec -n N python random_programs.py FIRST LAST [LEG DIRECTORY]

With a leg, programs are run piece by piece on other numbers of ranks each, RELAY, and this is one
of the pieces: it goes on from checkpoints in the directory, and leaves others there. Rank 0 prints
as JSON how often everything of the language and of strategies occurred.
"""

from __future__ import annotations

import json
import sys
import traceback
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from property.features import features
from property.runs import RELAY, check, check_relay

from halocline.runtime.job import join

# Every so many programs, one is compiled.
COMPILED = 4


def main() -> None:
    job = join()
    occurred: Counter[str] = Counter()
    first, last, *relay = sys.argv[1:]
    for number in range(int(first), int(last)):
        try:
            if relay:
                found = check_relay(number, int(relay[0]), RELAY, Path(relay[1]))
            else:
                found = check(number, "numpy" if number % COMPILED else "c++", job.size)
        except Exception:
            # Perhaps on this rank alone: the others would wait for ever.
            print(
                f"program {number} on rank {job.rank}:\n{traceback.format_exc()}", file=sys.stderr
            )
            job.communicator.Abort(1)
        occurred.update(features(*found) if found else ())
    if job.rank == 0:
        print(json.dumps(occurred))


if __name__ == "__main__":
    main()
