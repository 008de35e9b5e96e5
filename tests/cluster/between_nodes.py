"""Programs that give on several nodes the bits of a single process; what they return shows them."""

from __future__ import annotations

import socket
from pathlib import Path

import small_flows
import small_oceans
import stencils
from parallel import forests_on_ranks, levels_written

import halocline as hc
from halocline.io.checkpoint import load, save
from halocline.runtime.job import join

TRANSPORTS = ("auto", "two-sided", "persistent", "datatype", "put", "get")
POISONED = hc.Strategy(poison=True)
# All ways to run the forest, but those that need memory shared by all ranks.
WAYS = [
    name
    for name, (strategy, *_) in forests_on_ranks.WAYS.items()
    if strategy == "auto" or not strategy.transport.startswith("shared")
]


def nodes():
    """Return the node of each rank, as Halocline finds it, and their number of host names."""
    return [join().nodes, len(set(join().everywhere(socket.gethostname())))]


def heat(transport):
    """Return the checksum of temperatures that are swapped in every step."""
    problem = stencils.make("heat 2-D", "first", "float64")
    strategy = POISONED
    if join().size > 1:
        strategy = hc.Strategy(poison=True, transport=transport)
    stencils.run(problem, 7, strategy=strategy, threads=1)
    return stencils.checksum(problem)


def flows(*names):
    """Return the fingerprints of some flows, or of all."""
    setups = small_flows.SETUPS
    runs = (small_flows.run(setups[name], strategy=POISONED) for name in names or setups)
    return [small_flows.fingerprint(flow) for flow, _ in runs]


def forests(*ways):
    """Return the digests of a forest of three levels, run in some ways or in all."""
    return [forests_on_ranks.run(way) for way in ways or WAYS]


def oceans(*names):
    """Return the fingerprints of some oceans, or of all."""
    setups = small_oceans.SETUPS
    return [small_oceans.fingerprint(small_oceans.run(setups[name])[0]) for name in names or setups]


def first_programs():
    """Return the results of some programs of each kind, which 'make test' runs."""
    heats = [heat(transport) for transport in TRANSPORTS]
    return [heats, flows("D3Q19 solid"), forests("default"), oceans("tide and wind")]


def _heat():
    problem = stencils.make("heat 2-D", "first", "float64")
    return problem, hc.Simulation(problem.grid, problem.steps, strategy=POISONED, threads=1)


def saved(path):
    """Save a checkpoint after three steps, and return the checksum after four more."""
    problem, simulation = _heat()
    stencils.fill(problem)
    simulation.run(3, progress=False)
    save(simulation, path)
    simulation.run(4, progress=False)
    return stencils.checksum(problem)


def gone_on(path):
    """Return the checksum of a run that goes on from a checkpoint."""
    problem, simulation = _heat()
    load(simulation, path)
    simulation.run(4, progress=False)
    return stencils.checksum(problem)


def written(folder):
    """Write a forest in all ways that there are, and return digests of the files."""
    ways = [(way, Path(folder) / way) for way in levels_written.WAYS]
    for _, place in ways:
        place.mkdir(exist_ok=True)
    return [levels_written.digest_of_files(way, place) for way, place in ways]
