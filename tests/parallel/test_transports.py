"""Every transport brings the same values, at once or over an emulated link."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import stencils
from launch import mpirun
from parallel.transports import BETWEEN_NODES, LATENCY_S, ON_A_NODE, STEPS

SCRIPT = Path(__file__).with_name("transports.py")
# ranks, ranks on a node
JOBS = ((2, 1), (2, 2), (3, 2), (4, 2), (4, 4))


@pytest.fixture
def launch(tmp_path):
    """Run one function of the script on some ranks and return what it found."""

    def run(what: str, ranks: int, ranks_per_node: int):
        output = tmp_path / "found.json"
        done = mpirun(ranks, SCRIPT, what, str(output), str(ranks_per_node))
        assert done.returncode == 0, done.stderr
        return json.loads(output.read_text(encoding="utf-8"))

    return run


def expected_of(ranks: int, ranks_per_node: int) -> set[str]:
    shared = ON_A_NODE if ranks <= ranks_per_node else ()
    return {*BETWEEN_NODES, *shared}


@pytest.mark.parametrize(("ranks", "ranks_per_node"), JOBS)
def test_every_halo_cell_comes_from_its_owner(ranks, ranks_per_node, launch):
    found = launch("coordinates", ranks, ranks_per_node)
    assert {name.split()[0] for name in found} == {"auto"} | expected_of(ranks, ranks_per_node)
    assert [name for name, is_right in found.items() if not is_right] == []


@pytest.mark.parametrize(("ranks", "ranks_per_node"), JOBS)
def test_fields_that_swap_have_the_bits_of_one_process(ranks, ranks_per_node, launch):
    found = launch("swaps", ranks, ranks_per_node)
    for name in ("heat 2-D", "cavity 3-D"):
        problem = stencils.make(name, "first", "float64")
        stencils.run(problem, STEPS, target="numpy", threads=1)
        expected = stencils.checksum(problem)
        of_this = {key: crc for key, crc in found.items() if key.startswith(name)}
        assert {key for key, crc in of_this.items() if crc != expected} == set()
        assert len(of_this) > len(BETWEEN_NODES)


@pytest.mark.parametrize(("ranks", "ranks_per_node"), JOBS)
def test_two_exchanges_may_be_in_flight_on_a_ring(ranks, ranks_per_node, launch):
    found = launch("in_flight", ranks, ranks_per_node)
    assert found == dict.fromkeys(expected_of(ranks, ranks_per_node), True)


@pytest.mark.alone
def test_a_step_over_an_emulated_link_takes_its_latency_and_gives_the_same_bits(launch):
    found = launch("link", 3, 2)
    problem = stencils.make("heat 2-D", "first", "float64")
    stencils.run(problem, STEPS, target="numpy", threads=1)
    assert {r["crc"] for r in found.values()} == {stencils.checksum(problem)}
    for transport, result in found.items():
        crossings = 2 if transport == "get" else 1
        assert crossings * LATENCY_S <= result["seconds"] < (crossings + 0.9) * LATENCY_S, transport


def test_a_report_says_that_a_link_was_emulated(launch):
    report = launch("link", 2, 1)["two-sided"]["report"]
    assert "emulated link: L=0.02,G=0 (L = 2.0e-02 s, G = 0.0e+00 s)" in report


@pytest.mark.alone
def test_work_begins_with_the_side_that_has_arrived_first(launch):
    # Ranks 0 and 1 are on one node, rank 2 on another; they form a ring.
    for way, found in launch("arrival", 3, 2).items():
        orders = [seen for seen, _ in found]
        assert all(is_right for _, is_right in found), way
        assert orders[0] == ["high", "last", "low"], way
        assert orders[1] == ["low", "last", "high"], way
        assert sorted(orders[2]) == ["high", "last", "low"], way


def test_windows_of_many_simulations_are_given_back(launch):
    assert launch("windows", 2, 1)


def test_windows_of_simulations_on_some_ranks_are_given_back(launch):
    before, after = launch("windows_of_some", 3, 1)
    assert after - before < 5


def test_ranks_of_different_nodes_that_should_share_memory_are_named(launch):
    found = launch("far", 3, 2)
    for transport in ON_A_NODE:
        assert found[transport] == (
            f"The plan has transport='{transport}', but ranks 0 and 2 are neighbours on "
            "different nodes and share no memory. Use transport='auto': shared memory inside a "
            "node, messages between nodes."
        )


def test_memory_that_cannot_be_mapped_is_said_on_every_rank(launch):
    found = launch("unmapped", 2, 2)
    assert found["error"].startswith(
        "Rank 1 cannot be connected with its neighbours: The memory of process "
    )
    assert (
        "cannot be opened: No such device or address. To map each other's memory" in found["error"]
    )
