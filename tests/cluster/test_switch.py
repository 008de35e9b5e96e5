"""The switch delays packets as asked for, and messages that it delays are hidden as predicted."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import hidden_latency
import linux_nodes
import pytest
from launch import launcher, needs_mpi

from halocline.bench.probe import probe

PING = str(Path(__file__).with_name("ping.py"))

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", autouse=True)
def _needs_a_cluster():
    needs_mpi()
    if (reason := linux_nodes.why_not()) is not None:
        pytest.skip(reason)


def pinged(cluster, stream_bytes):
    """Return the least round trip between two nodes [s] and the rate of a stream [bit/s]."""
    first, second = cluster.nodes
    words = [*second.entered(), sys.executable, PING, "answer"]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, stdin=pipe, stdout=pipe, text=True) as answering:
        assert answering.stdout.readline() == "ready\n"
        command = [*first.entered(), sys.executable, PING, second.name, str(stream_bytes)]
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
        answering.stdin.close()
    return tuple(map(float, done.stdout.split()))


@pytest.mark.parametrize("latency_s", [1e-4, 1e-3, 5e-3])
def test_each_packet_takes_the_latency_and_bits_pass_at_the_rate(latency_s):
    with linux_nodes.Cluster(2, "100mbit", latency_s) as cluster:
        trip_s, rate = pinged(cluster, 4_000_000)
    # Other programs may take the processor for some time.
    assert 2 * latency_s < trip_s < 2 * latency_s + 1e-3
    assert 50e6 < rate < 100e6


@pytest.fixture(scope="module")
def machine():
    """Return two nodes 1 ms apart, as 'halocline probe' finds them, for jobs of these tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HALOCLINE_MPIEXEC", launcher())
        with hidden_latency.nodes(1e-3):
            yield probe(lambda _: None, is_quick=True)


def test_a_probe_of_two_nodes_finds_latency_and_rate(machine):
    assert not any(times.is_same_node for times in machine.transports)
    assert machine.node_copy_bytes_per_s is None
    assert 0.03e9 < machine.node_link_bytes_per_s < 0.125e9
    assert machine.times("two-sided", is_same_node=False).flight_s(8) > 0.8e-3


def sources(cases, machine):
    """Return the rows of cases, measured and predicted."""
    rows = hidden_latency.rows(cases, machine)
    return [[row for row in rows if row["from"] == source] for source in ("measured", "predicted")]


def test_overlap_hides_messages_behind_long_computing(machine):
    cases = [c for c in hidden_latency.advections([(60, 60)]) if "uptake" in c["case"]]
    for rows in sources(cases, machine):
        assert rows[0]["hidden [%]"] > 40


def test_deep_halos_are_faster_where_latency_dominates(machine):
    for rows in sources(hidden_latency.depths([16]), machine):
        assert rows[-1]["faster"] > 1.5


def test_overlap_exposes_less_in_strong_scaling(machine):
    for rows in sources(hidden_latency.cubes([64]), machine):
        assert rows[0]["with overlap [ms]"] < rows[0]["exposed [ms]"]
