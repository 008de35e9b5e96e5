"""Platform: where a plan is executed, and the decisions that follow from it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from halocline.analysis.threads import threads_for
from halocline.analysis.tiles import tile_for
from halocline.plan.cells.strategy import DEVICE_TRANSPORTS
from halocline.plan.passes.concurrency import with_concurrency
from halocline.plan.passes.reduction_fusion import with_taking
from halocline.plan.passes.wavefronts import with_wavefronts
from halocline.plan.value.execution import Execution
from halocline.plan.value.operations import Wavefront, walk
from halocline.plan.value.temporal_blocks import temporal_blocks

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from halocline.plan.cells.strategy import Transport
    from halocline.plan.program.program import Launch
    from halocline.plan.value.execution import Choice
    from halocline.plan.value.messages import Message
    from halocline.plan.value.operations import Operation
    from halocline.plan.value.plan import Plan

# So many times what caches keep in any case they may keep: nobody knows what others take of them.
_PERHAPS_KEPT = 4
# Results that the caches keep for a thread in any case, until they are read again.
PRIVATE_CACHE_BYTES = 3 << 19


@dataclass(frozen=True, slots=True)
class Platform:
    """What is known of the ranks of a plan and of what they run on.

    Attributes:
        nodes: The node of each rank; empty if all are on the same.
        threads: Of a rank.
        kept_bytes: Results that the caches keep for each of them [bytes].
        near: What moves messages inside a node, unless the strategy says so.
        far: The same between nodes.
    """

    nodes: tuple[int, ...] = ()
    threads: int = 1
    kept_bytes: int = PRIVATE_CACHE_BYTES
    near: Transport = "shared"
    far: Transport = "two-sided"

    @property
    def has_devices(self) -> bool:
        """Whether kernels run on devices."""
        return self.far in DEVICE_TRANSPORTS

    def transport(self, wanted: Transport, *, is_same_node: bool) -> Transport:
        """Return what moves messages between two ranks if a strategy wants some transport."""
        if wanted != "auto":
            return wanted
        return self.near if is_same_node else self.far

    def is_same_node(self, one: int, other: int) -> bool:
        """Return whether two ranks are on the same node."""
        return not self.nodes or self.nodes[one] == self.nodes[other]


def decided(plan: Plan, platform: Platform) -> Plan:
    """Return a plan with all that it leaves open decided for a platform.

    What has been decided stays as it is.
    """

    def message(one: Message) -> Message:
        if one.transport != "auto":
            return one
        is_same_node = platform.is_same_node(one.source, one.target)
        wanted = platform.transport(plan.strategy.transport, is_same_node=is_same_node)
        return replace(one, transport=wanted)

    exchanges = tuple(
        replace(
            one, sends=tuple(map(message, one.sends)), receives=tuple(map(message, one.receives))
        )
        for one in plan.exchanges
    )
    plan = replace(plan, exchanges=exchanges)
    if plan.executions:
        return plan
    plan = plan if platform.has_devices else with_taking(plan)
    sizes: dict[Hashable, int] = {}
    executions = tuple(_execution(plan, launch, platform, sizes) for launch in plan.launches)
    plan = replace(plan, executions=executions)
    return _concurrent(plan) if platform.has_devices else _in_cache(plan, platform)


def _concurrent(plan: Plan) -> Plan:
    """Return a plan whose runs say which of them a device may do at once."""
    return replace(plan, steps=tuple(with_concurrency(step, plan) for step in plan.steps))


def _in_cache(plan: Plan, platform: Platform) -> Plan:
    """Return a plan whose steps go through memory together, as many as its strategy says."""
    length = plan.strategy.steps_in_cache
    if length == 1:
        return plan

    def joined(operations: Iterable[Operation]) -> tuple[Operation, ...]:
        return with_wavefronts(operations, plan, platform.kept_bytes, platform.threads)

    blocks = [
        replace(block, operations=joined(block.operations))
        for block in temporal_blocks(plan.steps, length)
    ]
    is_worth_it = any(isinstance(op, Wavefront) for b in blocks for op in walk(b.operations))
    return replace(
        plan,
        steps=tuple(map(joined, plan.steps)),
        temporal_blocks=tuple(blocks) if is_worth_it else (),
    )


def _uses(launch: Launch) -> Hashable:
    """Return what tells which values a kernel uses, of which there are fewer than kernels."""
    return frozenset(launch.names), launch.role, launch.space


def _execution(
    plan: Plan, launch: Launch, platform: Platform, sizes: dict[Hashable, int]
) -> Execution:
    """Return how a kernel runs; what its fields take is kept among the sizes."""
    if not launch.is_compiled:
        return Execution()
    if platform.has_devices:
        # Of many small boxes each launch would take longer than what it does; forests get them.
        cut = plan.decomposition
        is_batched = bool(cut.levels) or cut.blocks > cut.ranks
        return Execution(threads=replace(threads_for(launch.code), is_batched=is_batched))
    kept_bytes, used = platform.kept_bytes * platform.threads, _uses(launch)
    size_bytes = sizes[used] = sizes.get(used) or plan.bytes_used(launch)
    # What stands on a boundary layer is read at once; what stays in caches need not be fetched.
    if size_bytes <= kept_bytes or launch.is_layer:
        return Execution()
    stream: Choice = "trial" if size_bytes <= _PERHAPS_KEPT * kept_bytes else "always"
    largest = max((block.box for block in plan.doing(launch)), key=lambda box: box.cells)
    extent = launch.space.flat(largest).extent
    return Execution(stream, "trial", tile_for(launch.code, extent, platform.kept_bytes))
