"""What a plan leaves open is decided for a platform, and stays decided."""

import pytest
import stencils
from msgspec.structs import replace

import halocline as hc
from halocline.analysis.threads import threads_for
from halocline.plan.pipeline import decided, plan_for
from halocline.plan.platform import PRIVATE_CACHE_BYTES, Platform
from halocline.plan.value import operations as ops
from halocline.plan.value.execution import Execution

# Eight ranks, half of them on another node.
NODES = (0, 0, 0, 0, 1, 1, 1, 1)


def plan(platform=None, extent=(16, 16, 16), **choices):
    problem = stencils.heat(extent, (True,) * len(extent))
    strategy = hc.Strategy(**choices)
    return plan_for(
        problem.grid,
        problem.steps,
        ranks=8,
        strategy=strategy,
        decomposition=(2, 2, 2),
        platform=platform,
    )


def ways(found):
    """Return what moves the messages with each other rank."""
    messages = [m for e in found.exchanges for m in (*e.sends, *e.receives)]
    return {m.source + m.target - found.rank: m.transport for m in messages}


def test_without_a_platform_what_follows_from_it_is_open():
    assert set(ways(plan()).values()) == {"auto"}
    assert plan().executions == ()


@pytest.mark.parametrize(
    ("platform", "near", "far"),
    [
        (Platform(NODES), "shared", "two-sided"),
        (Platform(NODES, near="peer", far="from-device"), "peer", "from-device"),
        (Platform(near="via-host", far="via-host"), "via-host", "via-host"),
    ],
)
def test_transports_follow_from_nodes_and_what_devices_can(platform, near, far):
    found = ways(plan(platform))
    assert found == {1: near, 2: near, 4: far if platform.nodes else near}


def test_a_transport_of_the_strategy_holds_everywhere():
    assert set(ways(plan(Platform(NODES), transport="put")).values()) == {"put"}


def test_kernels_store_past_caches_that_keep_less_than_their_fields():
    # T and T_new on 8 x 8 x 8 cells and a layer around them.
    size = 2 * 10**3 * 8
    for threads, kept, stream in (
        (1, size // 4 - 1, "always"),
        (1, size - 1, "trial"),
        (1, size, "never"),
        (2, size // 2, "never"),
    ):
        found = plan(Platform(threads=threads, kept_bytes=kept))
        found_ways = {(how.stream, how.fetch) for how in found.executions}
        assert found_ways == {(stream, "never" if stream == "never" else "trial")}
    assert Platform().kept_bytes == PRIVATE_CACHE_BYTES


def test_what_stands_on_a_layer_is_read_at_once():
    grid = hc.Grid((8, 8))
    T, T_new = grid.field("T"), grid.field("T_new")

    @hc.kernel
    def side(T):
        T[0, 0] = 1.0

    @hc.kernel
    def across(T, T_new):
        T_new[0, 0] = T[-1, 0] + T[0, 0] + T[1, 0]

    for name in ("x-", "x+"):
        T.boundary(name, side)
    found = plan_for(grid, [across(T, T_new)], platform=Platform(kept_bytes=1))
    for launch, how in zip(found.launches, found.executions, strict=True):
        assert (how.stream == "always") != launch.is_layer


def test_threads_of_devices_share_cells_as_suits_the_kernel():
    found = plan(Platform(near="via-host", far="via-host", kept_bytes=1))
    for launch, how in zip(found.launches, found.executions, strict=True):
        assert how == Execution(threads=threads_for(launch.code))


@pytest.mark.parametrize(
    ("choices", "is_late"),
    [({}, True), ({"wait": "any"}, True), ({"depth": 2}, False), ({"overlap": "rim-first"}, False)],
)
def test_a_rim_is_late_that_follows_the_only_core_of_an_exchange(choices, is_late):
    runs = [op for op in plan(**choices).operations() if isinstance(op, ops.Run)]
    rims = [run for run in runs if run.zone == "rim"]
    assert rims
    assert all(run.is_late == is_late for run in rims)
    assert not any(run.is_late for run in runs if run.zone != "rim")


def test_what_is_decided_stays_decided():
    found = plan(Platform(NODES, kept_bytes=1))
    assert decided(found, Platform(near="peer", far="from-device")) == found
    fixed = replace(found, executions=tuple(replace(e, fetch="always") for e in found.executions))
    assert decided(fixed, Platform(NODES)) == fixed


def test_decisions_are_printed():
    text = str(plan(Platform(NODES, kept_bytes=1)))
    how = "non-temporal stores, tries prefetching, in tiles of 8x1"
    assert f"\nkernel  diffuse              {how}\n" in text
    assert "→ rank 1: T x- 1, T x+ 1, 1,024 bytes, shared\n" in text
    assert "bytes, two-sided\n" in text
    on_device = str(plan(Platform(near="peer", far="from-device")))
    assert "kernel  diffuse              in 32x4x1 threads with 1x1x4 cells each\n" in on_device
