"""Compare the model's weak scaling with SimGrid, which simulates the same exchange on its own.

D3Q19 blocks of 96 cells a side, exchanged axis after axis, then computed; periodic. SimGrid runs
the MPI program 'halo.c' on a simulated cluster; the model walks Halocline's plan. Both are given
the same latency, bandwidth and time to compute; packing and overheads are left out of both.

Needs SimGrid with its MPI (Debian: apt-get install simgrid libsimgrid-dev) and Halocline. To run:

    python reproduction/bench/simgrid/compare.py [--json FILE] [--most RANKS]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import halocline as hc
from halocline.lbm import collide_stream, velocity_set
from halocline.plan.pipeline import plan_for
from halocline.plan.value.parts import Parts
from halocline.plan.value.plan import Plan
from halocline.tune.machine import Machine, Overheads, Packing, TransportTimes
from halocline.tune.machines import find_machine
from halocline.tune.model import predict_step
from halocline.tune.work import Placement

CELLS = 96
# Ranks along each axis, as near to a cube as they come.
SHAPES = {64: (4, 4, 4), 128: (4, 4, 8), 256: (4, 8, 8), 512: (8, 8, 8), 1024: (8, 8, 16)}
STEPS = 10
# The simulated processors' speed, as in 'halo.c'.
FLOPS_PER_S = 1e9

# No corrections for TCP and no acknowledgements: messages take latency + bytes / bandwidth.
IDEAL = (
    "--cfg=network/model:CM02",
    "--cfg=network/crosstraffic:0",
    "--cfg=network/TCP-gamma:0",
)
QUIET = ("--cfg=smpi/cpu-threshold:-1", "--log=root.thres:error")


@dataclass(frozen=True)
class Cluster:
    """A simulated cluster.

    Attributes:
        name: In the table.
        machine: Whose latency and bandwidth it has.
        ranks_per_node: How many ranks share a node and its link.
        topology: 'crossbar', or 'fat tree' of 32 nodes a switch in two levels.
        options: Of the simulator.
    """

    name: str
    machine: str
    ranks_per_node: int
    topology: str
    options: tuple[str, ...] = IDEAL


CLUSTERS = (
    Cluster("lima, 1 rank a node", "lima", 1, "crossbar"),
    Cluster("lima, 8 ranks a node", "lima", 8, "crossbar"),
    Cluster("lima, 1 rank a node, fat tree", "lima", 1, "fat tree"),
    Cluster("getm-cluster, 1 rank a node", "getm-cluster", 1, "crossbar"),
    Cluster("getm-cluster, 4 ranks a node", "getm-cluster", 4, "crossbar"),
    Cluster("getm-cluster, 4 ranks a node, SimGrid's TCP", "getm-cluster", 4, "crossbar", ()),
)


@dataclass(frozen=True)
class Comparison:
    """One line of the table; times of a step [s]."""

    cluster: str
    ranks: int
    blocks: tuple[int, ...]
    compute_s: float
    model_s: float
    simgrid_s: float
    simulated_in_s: float

    @property
    def difference(self) -> float:
        """Return the model's step relative to SimGrid's."""
        return self.model_s / self.simgrid_s - 1.0

    @property
    def difference_of_exchange(self) -> float:
        """Return the same of the exchange alone."""
        return (self.model_s - self.compute_s) / (self.simgrid_s - self.compute_s) - 1.0


def network_only(machine: Machine) -> Machine:
    """Return a machine on which nothing but computing and the network takes time."""

    def bare(times: TransportTimes) -> TransportTimes:
        return replace(
            times, overhead_s=0.0, gap_s=0.0, processor_byte_s=0.0, rendezvous_bytes=None
        )

    return replace(
        machine,
        packing=Packing(0.0, 0.0, 0.0),
        overheads=Overheads(0.0, 0.0, 0.0, 0.0),
        transports=tuple(map(bare, machine.transports)),
        node_copy_bytes_per_s=None,
    )


def make_plan(ranks: int) -> Plan:
    """Return the plan of a rank that has all its neighbours."""
    lattice = velocity_set("D3Q19")
    blocks = SHAPES[ranks]
    grid = hc.Grid(tuple(CELLS * n for n in blocks), periodic=True)
    f, f_next = (grid.field(name, components=len(lattice)) for name in ("f", "f_next"))
    return plan_for(
        grid,
        [collide_stream(f, f_next, velocity_set=lattice, omega=1.6), hc.swap(f, f_next)],
        ranks=ranks,
        strategy=hc.Strategy(neighbours="staged", overlap="none", transport="two-sided"),
        decomposition=blocks,
        check_every=0,
    )


def message_bytes(plan: Plan) -> list[int]:
    """Return the size of a side's message across each axis; 0 where nothing leaves the rank."""
    sizes = [0] * len(plan.decomposition.shape)
    for exchange in plan.exchanges:
        for message in exchange.sends:
            for part in message.parts:
                axis = next(n for n, d in enumerate(part.direction) if d)
                sizes[axis] += plan.bytes_of(Parts.of((part,)))
    # Both sides were counted.
    return [size // 2 for size in sizes]


def platform(cluster: Cluster, nodes: int) -> str:
    """Return SimGrid's description of a cluster."""
    machine = find_machine(cluster.machine)
    between = machine.times("two-sided", is_same_node=False)
    inside = machine.times("two-sided", is_same_node=True)
    is_tree = cluster.topology == "fat tree"
    links = 4 if is_tree else 2
    shape = ' topology="FAT_TREE" topo_parameters="2;32,32;1,32;1,1"' if is_tree else ""
    hosts = 1024 if is_tree else nodes
    return f"""<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="all" routing="Full">
    <cluster id="cluster" prefix="node" suffix="" radical="0-{hosts - 1}"
             speed="{FLOPS_PER_S}f" core="{cluster.ranks_per_node}"
             bw="{machine.node_link_bytes_per_s}Bps" sharing_policy="SPLITDUPLEX"
             lat="{between.range_of(0).latency_s / links}s"
             loopback_bw="{1 / inside.range_of(0).byte_s}Bps"
             loopback_lat="{inside.range_of(0).latency_s}s"{shape}/>
  </zone>
</platform>
"""


def simulate(program: Path, cluster: Cluster, plan: Plan, compute_s: float) -> float:
    """Return the time of a step in SimGrid [s]."""
    ranks = plan.decomposition.ranks
    nodes = -(-ranks // cluster.ranks_per_node)
    folder = program.parent
    (folder / "platform.xml").write_text(platform(cluster, nodes), encoding="utf-8")
    hosts = (f"node{rank // cluster.ranks_per_node}" for rank in range(ranks))
    (folder / "hosts").write_text("\n".join(hosts) + "\n", encoding="utf-8")
    numbers = (STEPS, compute_s, *message_bytes(plan), *plan.decomposition.shape)
    run = subprocess.run(
        [
            "smpirun",
            *("-np", str(ranks), "-platform", "platform.xml", "-hostfile", "hosts"),
            *cluster.options,
            *QUIET,
            "./halo",
            *map(str, numbers),
        ],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
    )
    lines = [line for line in run.stdout.splitlines() if line.startswith("step_s ")]
    if run.returncode != 0 or not lines:
        sys.exit(f"SimGrid failed: {run.stderr[-1000:]}")
    return float(lines[0].split()[1])


def compare(program: Path, cluster: Cluster, ranks: int) -> Comparison:
    """Return the step of the model beside that of SimGrid."""
    plan = make_plan(ranks)
    machine = network_only(find_machine(cluster.machine))
    predicted = predict_step(plan, machine, Placement(cluster.ranks_per_node))
    started = time.perf_counter()
    simulated = simulate(program, cluster, plan, predicted.compute)
    took = time.perf_counter() - started
    return Comparison(
        cluster.name,
        ranks,
        plan.decomposition.shape,
        predicted.compute,
        predicted.seconds,
        simulated,
        took,
    )


def build(folder: Path) -> Path:
    """Return the compiled MPI program."""
    source = Path(__file__).with_name("halo.c")
    program = folder / "halo"
    try:
        subprocess.run(["smpicc", "-O2", str(source), "-o", str(program)], check=True)
    except FileNotFoundError:
        sys.exit("There is no 'smpicc': install SimGrid (apt-get install simgrid libsimgrid-dev).")
    return program


def main() -> None:
    """Print the table and write it as JSON if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", default="", help="write the figures to a file")
    parser.add_argument("--most", type=int, default=max(SHAPES), help="the most ranks")
    chosen = parser.parse_args()
    found = []
    print(
        f"{'cluster':<46}{'ranks':>6}{'blocks':>10}{'compute':>10}{'model':>10}{'SimGrid':>10}"
        f"{'step':>8}{'exchange':>10}"
    )
    with tempfile.TemporaryDirectory() as folder:
        program = build(Path(folder))
        for cluster in CLUSTERS:
            for ranks in (n for n in SHAPES if n <= chosen.most):
                c = compare(program, cluster, ranks)
                found.append(c)
                blocks = "x".join(map(str, c.blocks))
                times = "".join(f"{1e3 * s:>10.3f}" for s in (c.compute_s, c.model_s, c.simgrid_s))
                print(
                    f"{c.cluster:<46}{c.ranks:>6}{blocks:>10}{times}"
                    f"{c.difference:>+8.1%}{c.difference_of_exchange:>+10.1%}",
                    flush=True,
                )
    print("times of a step in milliseconds; last columns: model relative to SimGrid")
    if chosen.json:
        text = json.dumps([asdict(c) for c in found], indent=2)
        Path(chosen.json).write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
