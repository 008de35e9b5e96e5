"""Run the programs of 'physics.py' on the ranks this was started with; rank 0 writes sums as JSON.

mpiexec -n N python physics_on_ranks.py OUTPUT
"""

from __future__ import annotations

import json
import sys
import zlib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from physics import PROGRAMS, run

import halocline as hc


def main() -> None:
    found, rank = {}, 0
    for name in PROGRAMS:
        for way in (1, 2):
            strategy = hc.Strategy(poison=True, overlap=("core-first", "rim-first")[way - 1])
            simulation, fields = run(name, strategy=strategy, threads=1, blocks=way)
            rank = simulation.rank
            if rank == 0:
                crcs = {f: zlib.crc32(values.tobytes()) for f, values in fields.items()}
                found[f"{name}, {way}"] = crcs
    if rank == 0:
        Path(sys.argv[1]).write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    main()
