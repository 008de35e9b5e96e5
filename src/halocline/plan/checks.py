"""What a bound step may not do: read where nothing provides values, or what has none yet."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from halocline.errors import PlanError
from halocline.geometry import AXES, box_of
from halocline.language.steps import Reduction
from halocline.plan.program import Launch, Looped, Reduced, Sometimes, aliases, all_launches, beyond
from halocline.plan.reach import moved, unbounded

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from halocline.geometry import Box
    from halocline.language.fields import Grid
    from halocline.language.steps import Parameter
    from halocline.plan.chain import Demands
    from halocline.plan.program import Item, Program


def check_sides(
    grid: Grid, items: tuple[Item, ...], boundaries: dict[str, tuple[Launch, ...]]
) -> None:
    """Refuse kernels that read beyond a side where nothing fills the layer."""
    launches = all_launches(items)
    may_hold = aliases(items)
    for launch in launches:
        if launch.is_layer:
            continue
        for name in dict.fromkeys(launch.names):
            group = may_hold.get(name, {name})
            filled = [other.region for n in group for other in boundaries.get(n, ())]
            filled += [moved(w.region, o) for w in launches for f, _, o in w.assigns if f in group]
            rest = _without(beyond(launch, name, grid.domain, grid.periodic), filled)
            if rest:
                raise _read_beyond(launch, name, rest[0], grid.extent, grid.periodic)


class FilledCheck:
    """Refuses reads beyond the domain of what no kernel provides, seen from where it is wanted.

    A kernel on a layer runs only where its results are read, so only for a finished chain it is
    known where it reads.
    """

    def __init__(self, program: Program) -> None:
        self._extent, self._periodic = program.extent, program.periodic
        self._inside = unbounded(box_of(program.extent), program.periodic)
        self._groups = aliases(program.items)
        boundaries = [one for launches in program.boundaries.values() for one in launches]
        self._assigned = self._by_component(all_launches(program.items))
        self._filled = self._by_component(boundaries)

    def __call__(self, launches: Iterable[Launch], asked: Demands) -> None:
        """Check what kernels ask for of memory as it is before them."""
        for need in (*asked.needs, *asked.own):
            key = (need.field, need.component)
            rest = _without(need.reach.region.subtract(self._inside), self._assigned.get(key, ()))
            if not rest:
                continue
            readers = [one for one in launches if key in {(f, q) for f, q, _ in one.reads}]
            if any(one.is_layer and need.field in dict(one.writes) for one in readers):
                # Layers see those that their own field has beyond other sides as they are.
                rest = _without(rest, self._filled.get(key, ()))
            if rest:
                raise _read_beyond(readers[0], need.field, rest[0], self._extent, self._periodic)

    def _by_component(self, launches: Iterable[Launch]) -> dict[tuple[str, int], list[Box]]:
        """Return which cells kernels assign of each component, under any of its names."""
        result: dict[tuple[str, int], list[Box]] = {}
        for launch in launches:
            for name, component, offset in launch.assigns:
                for other in self._groups.get(name, {name}):
                    boxes = result.setdefault((other, component), [])
                    boxes.append(moved(launch.region, offset))
        return result


def _without(boxes: Iterable[Box], others: Iterable[Box]) -> list[Box]:
    """Return the parts of boxes outside of others."""
    rest = list(boxes)
    for other in others if rest else ():
        rest = [piece for box in rest for piece in box.subtract(other)]
    return rest


def _read_beyond(
    launch: Launch, name: str, box: Box, extent: Sequence[int], periodic: Sequence[bool]
) -> PlanError:
    """Return the refusal of a kernel that reads cells of a box where nothing fills them."""
    side = _side_of(box, extent, periodic)
    return PlanError(
        f"Kernel '{launch.kernel.name}' reads '{name}' beyond side '{side}' of the domain, where "
        "no boundary is given.",
        hint=f"Write {name}.boundary('{side}', …), make the grid periodic there, or restrict the "
        "kernel to a box.",
        place=launch.place,
    )


def check_evaluated(program: Program, items: Iterable[Item], known: set[Parameter]) -> None:
    """Refuse kernels that are given a reduction before it has a value.

    Args:
        program: Whose boundaries run before kernels that read them.
        items: What happens, in order.
        known: Reductions that have been evaluated; those of the items are added.
    """
    for item in items:
        match item:
            case Launch():
                filling = [one for name in item.names for one in program.filling(item, name)]
                for launch in (*filling, item):
                    _check_scalars(launch, item, known)
            case Reduced(_, _, _, result):
                known.add(result)
            case Looped(_, inner):
                check_evaluated(program, inner, known)
            case Sometimes(_, inner):
                # What is evaluated now and then only has no value before the first time.
                check_evaluated(program, inner, set(known))
            case _:
                pass


def _check_scalars(launch: Launch, reader: Launch, known: set[Parameter]) -> None:
    for value in launch.scalars:
        if isinstance(value, Reduction) and math.isnan(value.value) and value not in known:
            raise PlanError(
                f"Kernel '{launch.kernel.name}' is given the reduction '{value.name}' before it "
                "has been evaluated.",
                hint="Put the reduction before the kernel among the steps, or give it a value to "
                "begin with: its attribute 'value'.",
                place=reader.place,
            )


def _side_of(box: Box, extent: Sequence[int], periodic: Sequence[bool]) -> str:
    for axis, n in enumerate(extent):
        if not periodic[axis]:
            if box.lower[axis] < 0:
                return f"{AXES[axis]}-"
            if box.upper[axis] > n:
                return f"{AXES[axis]}+"
    raise AssertionError(box)
