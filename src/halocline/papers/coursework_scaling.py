"""Paper 004: halos of depth two, speed-up, and the latencies of its table."""

from __future__ import annotations

from dataclasses import replace

from halocline.apps.lbm.obstacle_flow_input import published_parameters
from halocline.bench import ping_pong
from halocline.papers.coursework import AS_PAPER, REMARKS, grids, says, trial_of
from halocline.papers.experiment import Experiment, Findings, Panel, Series, Setting, Table
from halocline.papers.low_level import bench_settings
from halocline.papers.measuring import measure
from halocline.papers.predict import predict
from halocline.papers.published import published
from halocline.papers.trial import Trial
from halocline.plan.strategy import Strategy
from halocline.tune.machines import find_machine, machine_here
from halocline.tune.work import Placement

_DEPTHS = (1, 2, 3, 4, 6)
# Edges of the block of a rank: messages of the smallest are nothing but latency.
_EDGES = (16, 32, 64, 128, 256, 512)
_LINKS = {"gigabit-2011": (0.13e-3, 8e-9), "qdr-ib-2014": (2.03e-6, 1 / 3e9)}
_CORES, _RANKS_A_NODE = 64, 16
# The paper's names of links and ours.
_LATENCIES = {
    "within-socket": "within-socket",
    "across-sockets": "across-sockets",
    "QDR IB": "qdr-ib-2014",
    "10G RoCE": "10g-roce",
    "tcp/ip": "tcp-ip",
}
_SMALLEST_BYTES = 8


def _depth_trial(edge: int, depth: int, ranks: int, link: str) -> Trial:
    strategy = Strategy(overlap="none", transport="two-sided", depth=depth)
    return Trial("d2q9", (edge, edge), (1, ranks), strategy, dtype="float32", link=link)


def _run_depth(setting: Setting) -> Findings:
    edges = _EDGES[:1] if setting.is_quick else _EDGES
    depths = _DEPTHS[:2] if setting.is_quick else _DEPTHS
    keys = [(link, edge, depth) for link in _LINKS for edge in edges for depth in depths]
    trials = [_depth_trial(edge, depth, setting.ranks, link) for link, edge, depth in keys]
    timings = measure(trials, setting.ranks, setting)
    here = {key: timing.median_s for key, timing in zip(keys, timings, strict=True)}
    model = {}
    for (link, edge, depth), trial in zip(keys, trials, strict=True):
        machine = machine_here().with_link(link, *_LINKS[link])
        # All ranks are on this machine, whatever is said of nodes.
        where = Placement(1, ranks_sharing_memory=setting.ranks)
        model[link, edge, depth] = predict(trial, machine, where).seconds
    rows = [
        (
            *(link, edge, depth, setting.mark(setting.ranks)),
            *(1e6 * here[key], here[first] / here[key]),
            *(1e6 * model[key], model[first] / model[key]),
        )
        for key in keys
        for link, edge, depth in (key,)
        for first in ((link, edge, 1),)
    ]
    columns = (
        *("link", "block edge", "depth", "", "step here [us]", "gain"),
        *(f"predicted, {machine_here().name} [us]", "gain"),
    )
    panels = [
        Panel(
            f"gain over depth 1, link '{link}'",
            "cells along the edge of a rank's block",
            "times faster",
            tuple(
                Series(
                    f"depth {depth}, {name}",
                    tuple(map(float, edges)),
                    tuple(found[link, edge, 1] / found[link, edge, depth] for edge in edges),
                    kind,
                )
                for depth in depths[1:]
                for name, found, kind in (("here", here, "here"), ("predicted", model, "model"))
            ),
            is_log_x=True,
        )
        for link in _LINKS
    ]
    crossings = [
        (link, depth, _crossing(here, link, depth, edges), _crossing(model, link, depth, edges))
        for link in _LINKS
        for depth in depths[1:]
    ]
    return Findings(
        (
            Table("a step", columns, tuple(rows)),
            Table(
                "largest edge of a block at which the depth pays",
                ("link", "depth", "here", "predicted"),
                tuple(crossings),
            ),
            says("depth_2_slower"),
            _depth_on_bluecrystal(depths),
        ),
        tuple(panels),
        (
            *REMARKS,
            "The paper's depth 2 sends the obstacles with the halo and copies nine times; ours "
            "sends populations only, once.",
            "The prediction for this machine uses what 'halocline probe' has stored; without it, "
            "round numbers of a present server ('generic').",
        ),
    )


def _crossing(
    found: dict[tuple[str, int, int], float], link: str, depth: int, edges: tuple[int, ...]
) -> int | None:
    """Return the largest block for which a depth is faster than depth 1, None for no block."""
    paying = [e for e in edges if found[link, e, depth] < found[link, e, 1]]
    return max(paying, default=None)


def _depth_on_bluecrystal(depths: tuple[int, ...]) -> Table:
    """Return what the model says of the paper's largest grid on its 64 cores."""
    machine, rows = find_machine("bluecrystal-3"), []
    for depth in depths:
        trial = trial_of("1024x1024", (1, _CORES), replace(AS_PAPER, depth=depth))
        step = predict(trial, machine, Placement(_RANKS_A_NODE))
        rows.append((depth, 1e6 * step.seconds, 1e6 * step.compute, 1e6 * step.wait))
    return Table(
        "predicted for 64 cores of BlueCrystal, 1024x1024 in rows",
        ("depth", "step [us]", "computing [us]", "wait [us]"),
        tuple(rows),
    )


def _run_speedup(setting: Setting) -> Findings:
    strategy = Strategy(transport="two-sided")
    printed = {row[0]: (float(row[2]), float(row[3])) for row in published("004-fig-2-5").rows}
    machine = find_machine("bluecrystal-3")
    one = [replace(trial_of(grid, (1, 1), strategy), link="") for grid in grids(setting)]
    some = [trial_of(grid, (1, setting.ranks), strategy) for grid in grids(setting)]
    alone = measure(one, 1, setting)
    shared = measure(some, setting.ranks, setting)
    rows, gains = [], {}
    for n, grid in enumerate(grids(setting)):
        serial = predict(one[n], machine, Placement(1)).seconds
        trial = trial_of(grid, (1, _CORES), strategy)
        parallel = predict(trial, machine, Placement(_RANKS_A_NODE)).seconds
        seconds = parallel * published_parameters(grid).iterations
        gain = alone[n].median_s / shared[n].median_s
        gains[grid] = (printed[grid][1], serial / parallel, gain)
        rows.append(
            (grid, setting.mark(setting.ranks), gain, printed[grid][0], seconds, *gains[grid][:2])
        )
    columns = (
        *("grid", "", f"speed-up here, {setting.ranks} ranks", "paper, 64 cores [s]"),
        *("predicted [s]", "speed-up in the paper", "predicted"),
    )
    series = tuple(
        Series(label, tuple(gains), tuple(g[n] for g in gains.values()), kind)
        for n, (label, kind) in enumerate((("paper", "paper"), ("predicted", "model")))
    )
    ours = Series("here", tuple(gains), tuple(g[2] for g in gains.values()), "here")
    return Findings(
        (Table("speed-up over one rank", columns, tuple(rows)), says("speedup_of_larger_grid")),
        (
            Panel("64 cores of BlueCrystal", "grid", "times faster than one", series),
            Panel(f"here, {setting.ranks} ranks", "grid", "times faster than one", (ours,)),
        ),
        (
            *REMARKS,
            "The paper's serial code is the coursework's, optimised; the prediction compares "
            "with one rank of the same code.",
            "Iterations (40,000, 40,000, 80,000, 20,000) are the coursework's, which the paper "
            "does not repeat.",
        ),
    )


def _run_latency(setting: Setting) -> Findings:
    printed = {row[0]: float(row[1]) for row in published("004-fig-1-7").rows}
    settings = replace(
        bench_settings(setting),
        transports=("two-sided",),
        ranks_per_node=1,
        largest_bytes=_SMALLEST_BYTES,
    )
    links = dict(list(_LATENCIES.items())[-2:]) if setting.is_quick else _LATENCIES
    here = {}
    for name, link in links.items():
        (row,) = ping_pong.BENCHMARK.run(replace(settings, link=link))
        here[name] = 1e6 * row.times.median_s
    (bare,) = ping_pong.BENCHMARK.run(settings)
    rows: list[tuple[str, float | None, float]] = [
        (name, printed[name], time) for name, time in here.items()
    ]
    rows.append(("no link", None, 1e6 * bare.times.median_s))
    return Findings(
        (
            Table(
                f"time of a message of {_SMALLEST_BYTES} bytes",
                ("link", "paper, 0 bytes [us]", "here, emulated [us]"),
                tuple(rows),
            ),
        ),
        (
            Panel(
                "latency",
                "link",
                "us",
                (
                    Series("paper", tuple(here), tuple(printed[n] for n in here), "paper"),
                    Series("emulated here", tuple(here), tuple(here.values()), "here"),
                ),
                is_log_y=True,
            ),
        ),
        (
            "An emulated link never delivers sooner than MPI does between two processes here: "
            "the latencies inside a node are below that and cannot be reached.",
            "The paper's messages are empty; ours carry one value, packed and unpacked.",
        ),
    )


EXPERIMENTS = (
    Experiment(
        "004-depth",
        "004, hypothesis 5, figure 2.3",
        "deep halos: fewer, larger messages and a rim computed twice",
        2.5,
        _run_depth,
    ),
    Experiment(
        "004-speedup",
        "004, figures 1.3, 2.4 and 2.5",
        "speed-up on the four grids",
        1.0,
        _run_speedup,
    ),
    Experiment(
        "004-latency",
        "004, figure 1.7",
        "the latencies of five links, emulated",
        0.2,
        _run_latency,
    ),
)
