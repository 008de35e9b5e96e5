"""Machines known without measuring: those of the papers, and a plain one for when nothing is known.

Bandwidths count bytes read plus bytes written. Where a paper counts three transfers for an array
that is copied with stores through the cache, its figure is taken times two thirds. What a paper
does not print is assumed; each machine's 'sources' say which numbers these are.
"""

from __future__ import annotations

from pathlib import Path

from halocline.errors import nearest
from halocline.tune.device_machines import device_machines
from halocline.tune.machine import (
    LINE_BYTES,
    CopyRate,
    Machine,
    MachineError,
    Overheads,
    Packing,
    SizeRange,
    TransportTimes,
)
from halocline.tune.machine_file import identity_here, load_machine, machine_path

# Working sets that fit into no cache of the papers' machines [bytes a thread].
_LARGE = 400e6

# MPI libraries change to a rendezvous at some tens of kilobytes; none of the papers prints where.
_RENDEZVOUS = 65536


def known_machines() -> dict[str, Machine]:
    """Return the built-in machines by name."""
    generic = _generic()
    processors = (generic, _lima(), _xe6(), _getm_cluster(), _bluecrystal())
    return {m.name: m for m in (*processors, *device_machines(generic))}


def find_machine(name_or_file: str) -> Machine:
    """Return a built-in machine, or one from a file, for predictions.

    Args:
        name_or_file: A built-in name; 'here' for what 'halocline probe' has stored about this
            machine; or the path of a machine file (which ends in '.json').

    Raises:
        MachineError: There is no such machine, or its file does not serve.
    """
    if name_or_file == "here":
        return load_machine(machine_path(), identity_here())
    if name_or_file.endswith(".json"):
        return load_machine(Path(name_or_file))
    known = known_machines()
    if name_or_file not in known:
        raise MachineError(
            f"There is no machine '{name_or_file}'.",
            hint=nearest(name_or_file, (*known, "here")) + " A file's name ends in '.json'.",
        )
    return known[name_or_file]


def machine_here() -> Machine:
    """Return what is known about this machine: measured, or the generic one without a file.

    Raises:
        MachineError: There is a file, but it does not serve.
    """
    return find_machine("here") if machine_path().exists() else _generic()


def _times(  # noqa: PLR0913 (each a number of LogGP)
    transport: str,
    *,
    latency_s: float,
    bytes_per_s: float,
    overhead_s: float,
    is_same_node: bool = False,
    is_copied: bool = False,
    rendezvous_bytes: int | None = _RENDEZVOUS,
) -> TransportTimes:
    """Return the times of a transport with one latency and one bandwidth for all sizes."""
    byte_s = 1 / bytes_per_s
    return TransportTimes(
        transport,
        is_same_node,
        overhead_s,
        overhead_s,
        (SizeRange(None, latency_s, byte_s),),
        byte_s if is_copied else 0.0,
        rendezvous_bytes,
    )


def _shared(bytes_per_s: float) -> TransportTimes:
    """Return times of copies between processes: a counter seen after 0.2 µs (assumed)."""
    return _times(
        "shared",
        latency_s=0.2e-6,
        bytes_per_s=bytes_per_s,
        overhead_s=5e-8,
        is_same_node=True,
        is_copied=True,
        rendezvous_bytes=None,
    )


def _packing(bytes_per_s: float) -> Packing:
    """Return packing by a process to which memory gives so much: a value brings its whole line."""
    return Packing(LINE_BYTES / bytes_per_s, 5e-9, 2 / bytes_per_s)


_OVERHEADS = Overheads(launch_s=1e-7, box_s=5e-8, row_s=5e-9, parallel_s=2e-6)
_COMMON = (
    "packing: from one process's copy rate (a strided value costs a cache line); assumed",
    "overheads of kernels, boxes, rows and threads: assumed",
)


def _generic() -> Machine:
    """Return a present server, in round numbers."""
    rates = ((1, 20e9), (4, 60e9), (16, 150e9), (64, 250e9))
    cached = tuple(CopyRate(n, s, 2.5e5, n * 60e9) for s in (2, 38) for n in (1, 64))
    return Machine(
        name="generic",
        description="a present server with 64 cores and a network of 10 GB/s, in round numbers",
        identity="",
        cores=64,
        flops_per_s=2e10,
        copies=(*(CopyRate(n, s, 1e8, rate) for s in (2, 38) for n, rate in rates), *cached),
        packing=Packing(9e-9, 5e-9, 1e-10),
        overheads=_OVERHEADS,
        transports=(
            _shared(1e10),
            _times(
                "two-sided",
                latency_s=0.4e-6,
                bytes_per_s=5e9,
                overhead_s=0.2e-6,
                is_same_node=True,
                is_copied=True,
            ),
            _times("two-sided", latency_s=1.5e-6, bytes_per_s=1e10, overhead_s=0.3e-6),
        ),
        node_link_bytes_per_s=1e10,
        sources=("nothing was measured: all numbers are assumed",),
    )


def _lima() -> Machine:
    copied = ((2, 19.8e9), (12, 40.4e9), (24, 40.8e9))
    streamed = ((2, 16.1e9), (12, 38.3e9), (24, 38.9e9))
    return Machine(
        name="lima",
        description="RRZE's Lima, 2011: 2 Intel Westmere of 2.67 GHz a node (12 cores, 24 "
        "threads), QDR InfiniBand in a fat tree, 500 nodes; MPI code of paper 000",
        identity="",
        cores=24,
        flops_per_s=128e9 / 24,
        copies=(
            *(CopyRate(n, 2, _LARGE, rate) for n, rate in copied),
            *(CopyRate(n, 38, _LARGE, rate * 2 / 3) for n, rate in streamed),
        ),
        packing=_packing(19.8e9 / 2),
        overheads=_OVERHEADS,
        transports=(
            _shared(19.8e9 / 4),
            _times(
                "two-sided",
                latency_s=0.25e-6,
                bytes_per_s=5e9,
                overhead_s=0.2e-6,
                is_same_node=True,
                is_copied=True,
            ),
            _times("two-sided", latency_s=2e-6, bytes_per_s=3e9, overhead_s=0.5e-6),
        ),
        node_link_bytes_per_s=3e9,
        node_copy_bytes_per_s=10e9,
        sources=(
            "cores, peak of 128 GFLOP/s a node: paper 000, table 3.1",
            "copies: paper 000, table 4.1 (2 streams: non-temporal; 38: times two thirds)",
            "link: 6 GB/s in both directions together, paper 000, table 3.1",
            "messages inside a node: half of 40 GB/s in both directions together, section 4.2.3",
            "latencies: only in lost figures; 2 µs (QDR InfiniBand: 2.03 in paper 004) and "
            "0.25 µs (across sockets, paper 004) assumed",
            "5 GB/s of one message inside a node, message overheads, rendezvous size: assumed",
            *_COMMON,
        ),
    )


def _xe6() -> Machine:
    copied = ((2, 19.9e9), (12, 50.5e9), (24, 49.8e9))
    streamed = ((2, 8.4e9), (12, 39.3e9), (24, 51.9e9))
    return Machine(
        name="xe6",
        description="CSCS's Cray XE6, 2011: 2 AMD Magny-Cours of 2.2 GHz a node (24 cores), "
        "Gemini in a 3-D torus, 176 nodes; MPI, and coarrays as 'put'",
        identity="",
        cores=24,
        flops_per_s=211e9 / 24,
        copies=(
            *(CopyRate(n, 2, _LARGE, rate) for n, rate in copied),
            *(CopyRate(n, 38, _LARGE, rate * 2 / 3) for n, rate in streamed),
        ),
        packing=_packing(19.9e9 / 2),
        overheads=_OVERHEADS,
        transports=(
            _shared(19.9e9 / 4),
            _times(
                "two-sided",
                latency_s=0.5e-6,
                bytes_per_s=3.1e9,
                overhead_s=0.2e-6,
                is_same_node=True,
                is_copied=True,
            ),
            _times("two-sided", latency_s=1.5e-6, bytes_per_s=5e9, overhead_s=0.5e-6),
            _times(
                "put",
                latency_s=3e-6,
                bytes_per_s=4.8e9,
                overhead_s=0.5e-6,
                is_copied=True,
                rendezvous_bytes=None,
            ),
        ),
        node_link_bytes_per_s=5e9,
        node_copy_bytes_per_s=12.5e9,
        sources=(
            "cores, peak of 211 GFLOP/s a node: paper 000, table 3.1",
            "copies: paper 000, table 4.1 (2 streams: non-temporal; 38: times two thirds)",
            "link: 10 GB/s in both directions together, paper 000, table 3.1; which nodes share "
            "a link of the torus is not modelled",
            "messages inside a node: half of 50 GB/s in both directions together, section 4.2.3; "
            "of one pair 6.2 GB/s in both, table 4.2",
            "put: 9.6 GB/s in both directions, nothing of it hidden by computing, table 4.2",
            "latencies: only in lost figures; 0.5 and 1.5 µs, coarrays twice that, assumed",
            "message overheads, rendezvous size: assumed",
            *_COMMON,
        ),
    )


def _getm_cluster() -> Machine:
    # Part B of u_split_adv: 7 streams of 8 bytes, 3456 calls on 60 layers; cells and seconds.
    part_b = ((60 * 60, 40.73), (60 * 40, 21.10), (40 * 40, 11.85), (40 * 30, 8.20), (960, 5.31))
    layers, calls, ranks = 60, 3456, 4
    return Machine(
        name="getm-cluster",
        description="DaMSA's development cluster, 2011: 15 nodes with an Intel Core 2 Quad of "
        "2.4 GHz, switched gigabit Ethernet, MPICH2; 4 processes a node",
        identity="",
        cores=ranks,
        flops_per_s=0.7e9,
        copies=tuple(
            CopyRate(
                ranks,
                7,
                6.0 * 8 * cells * layers,
                ranks * 7 * 8 * cells * layers * calls / seconds,
            )
            for cells, seconds in part_b
        ),
        packing=_packing(2e9),
        overheads=_OVERHEADS,
        transports=(
            _shared(1e9),
            _times(
                "two-sided",
                latency_s=1e-6,
                bytes_per_s=1e9,
                overhead_s=1e-6,
                is_same_node=True,
                is_copied=True,
            ),
            _times("two-sided", latency_s=0.13e-3, bytes_per_s=125e6, overhead_s=3.9e-6),
        ),
        node_link_bytes_per_s=125e6,
        sources=(
            "latency: ping of 0.13 ms, paper 002, section 5.1 ('an absolute minimum for the "
            "expected communication time'); 1 Gbit/s a node, section 3",
            "copies: paper 002, table 7-2, part B: 7 streams of 8 bytes a cell (codebox 7-3), 3456 "
            "calls, 60 layers, six arrays as working set",
            "overhead: table 5-1, 8.07 s of 'update_2d_halo' in 129,600 exchanges with 8 "
            "neighbours and two sides each",
            "flops: table 7-2, part A: 55 ns a cell with about 40 operations",
            "messages inside a node, rendezvous size: assumed",
            *_COMMON,
        ),
    )


def _bluecrystal() -> Machine:
    return Machine(
        name="bluecrystal-3",
        description="University of Bristol's BlueCrystal phase 3, 2013: 16 cores in 2 sockets a "
        "node, QDR InfiniBand",
        identity="",
        cores=16,
        flops_per_s=6e9,
        copies=(
            *(CopyRate(n, 2, _LARGE, rate) for n, rate in ((1, 10e9), (8, 60e9), (16, 75e9))),
            *(CopyRate(n, 2, 1e6, n * 30e9) for n in (1, 16)),
        ),
        packing=_packing(10e9),
        overheads=_OVERHEADS,
        transports=(
            _shared(5e9),
            _times(
                "two-sided",
                latency_s=0.25e-6,
                bytes_per_s=5e9,
                overhead_s=0.1e-6,
                is_same_node=True,
                is_copied=True,
            ),
            _times("two-sided", latency_s=2.03e-6, bytes_per_s=3e9, overhead_s=0.5e-6),
        ),
        node_link_bytes_per_s=3e9,
        sources=(
            "latencies: paper 004, figure 1.7: across sockets 0.25 µs, QDR InfiniBand 2.03 µs",
            "cores: paper 004, text on figure 1.6: 8 a socket, two sockets",
            "flops: figure 2.5, 1024x1024 in 5.15 s on 64 cores: 15.7 ns a cell and core, with "
            "about 95 operations",
            "copies (75 GB/s a node, 30 GB/s a core from cache), 3 GB/s of the link, 5 GB/s of "
            "messages inside a node, message overheads, rendezvous size: assumed",
            *_COMMON,
        ),
    )
