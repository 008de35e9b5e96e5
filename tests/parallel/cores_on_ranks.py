"""What ranks make of the cores that a launcher leaves them; 'each' binds every rank to its own.

mpiexec -n N python cores_on_ranks.py all|each
"""

import os
import sys

# Before Halocline looks at them.
if sys.argv[1] == "each":
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[int(os.environ["PMI_RANK"]) % len(cores)]})

import halocline as hc

simulation = hc.Simulation(hc.Grid((8,)), [print])
# One write a rank, its end included: the lines of two ranks do not mix.
sys.stdout.write(f"{simulation.job.sharers} {simulation.threads}\n")
sys.stdout.flush()
