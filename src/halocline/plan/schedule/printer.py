"""Schedules as text: chains of kernels, with what each needs from other blocks, and when."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halocline.plan.program.printer import item_text, nested_lines, span
from halocline.plan.schedule.steps import Chain, Refresh, StepEnd

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from halocline.geometry import Offset
    from halocline.plan.cells.reach import Needs, Reach
    from halocline.plan.schedule.steps import Schedule


def schedule_text(schedule: Schedule) -> str:
    """Return a schedule as text."""
    lines = ["schedule, for any block"]
    if schedule.prologue:
        lines += ["once", f"  exchange {_needs(schedule.prologue)}"]
    lines += ["steps of a round", *nested_lines(schedule.items, _text)]
    returned = [needs for needs in schedule.epilogues if needs]
    lines += [f"after the last step\n  exchange {_needs(needs)}" for needs in returned]
    return "\n".join(lines)


def _text(item: object) -> str:
    match item:
        case Chain():
            return "\n".join(_chain_lines(item))
        case Refresh(needs):
            return f"exchange {_needs(needs)}"
        case StepEnd():
            return "end of a step"
        case _:
            return item_text(item)


def _chain_lines(chain: Chain) -> Iterator[str]:
    yield "chain"
    for title, needs in (("before", chain.fetch), *(("sent before", one) for one in chain.late)):
        if needs:
            yield f"  exchange {title}: {_needs(needs)}"
    for position, (launch, extent) in enumerate(zip(chain.launches, chain.extents, strict=True)):
        passed = [b.item for b in chain.breaks if b.position == position]
        yield from nested_lines(passed, _text)
        inlined = len(launch.kernel.inlined)
        more = f", with {inlined} inlined boundary kernel(s)" if inlined else ""
        yield f"  {item_text(launch)}{_away(extent)}{more}"
    for title, needs in (("after", chain.send), *(("sent early", one) for one in chain.early)):
        if needs:
            yield f"  exchange {title}: {_needs(needs)}"


def _away(extent: Iterable[Reach]) -> str:
    """Return how far from a block's own cells a kernel runs, for others or on layers."""
    away = [reach for reach in extent if reach.is_away]
    if not away:
        return ""
    return f", runs at {span([o for reach in away for o in (reach.lower, reach.upper)])}"


def _needs(needs: Needs) -> str:
    """Return 'f 5 (-1, 0): values of each storage, and where they lie from a block's cells."""
    offsets: dict[str, list[Offset]] = {}
    components: dict[str, set[int]] = {}
    for need in sorted(needs, key=lambda need: (need.field, need.component)):
        offsets.setdefault(need.field, []).extend((need.reach.lower, need.reach.upper))
        components.setdefault(need.field, set()).add(need.component)
    return ", ".join(
        f"{name} {len(components[name])} component(s) {span(of)}" for name, of in offsets.items()
    )
