"""What a bound step may not do: read where nothing provides values, or what has none yet."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from halocline.errors import KernelError, PlanError
from halocline.geometry import AXES, without
from halocline.language.expressions.parameters import Parameter
from halocline.language.points.at_points import AtPoints
from halocline.language.steps.steps import Reduction
from halocline.language.steps.tree import Every, Repeat, Until
from halocline.plan.program.points import point_beyond, weights_beyond
from halocline.plan.program.program import Computed, Launch, Reduced, all_launches, beyond

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from halocline.geometry import Box
    from halocline.language.spaces.space import Space
    from halocline.plan.program.program import Item, Program


def check_sides(
    spaces: Mapping[str, Space],
    items: tuple[Item, ...],
    boundaries: dict[str, tuple[Launch, ...]],
    groups: Mapping[str, frozenset[str]],
) -> None:
    """Refuse kernels that read beyond a side where nothing fills the layer.

    Args:
        spaces: The cells of each field.
        items: A step on fields.
        boundaries: The boundary kernels of fields.
        groups: For each field that is ever swapped, those whose values it may hold.
    """
    launches = all_launches(items)
    assigned: dict[str, dict[Box, None]] = {}
    for launch in launches:
        for field, cells in {(a.field, a.cells(launch.region)) for a in launch.assigns}:
            assigned.setdefault(field, {})[cells] = None
    for launch in launches:
        if launch.is_layer:
            continue
        for name in dict.fromkeys(launch.names):
            group = groups.get(name, {name})
            filled = [other.region for n in group for other in boundaries.get(n, ())]
            filled += [cells for n in group for cells in assigned.get(n, ())]
            rest = without(beyond(launch, name), filled)
            rest = [box for box in rest if uses_beyond(launch, box, spaces[name])]
            if rest:
                raise read_beyond(launch, name, rest[0], spaces[name])


def check_carries(program: Program) -> None:
    """Refuse a sweep that reads what a boundary makes of the sweep's own carry.

    Raises:
        KernelError: A boundary of a field that it reads is given by the field for the carry's end.
    """
    for launch in all_launches(program.steps):
        carried = {access.field for access in launch.carries}
        for name in dict.fromkeys(launch.names) if carried else ():
            given = {a.field for filled in program.filling(launch, name) for a in filled.reads}
            if common := sorted((given - {name}) & carried):
                raise KernelError(
                    f"The sweep '{launch.kernel.name}' reads '{name}', a boundary of which is "
                    f"given by '{common[0]}'; expected another field than that for the end of a "
                    "carry: while the sweep runs, it holds the carry.",
                    hint="Use a field of its own for the end, and copy it after the sweep.",
                    place=launch.place,
                )


def uses_beyond(launch: Launch, box: Box, space: Space) -> bool:
    """Return whether a kernel uses cells of a box beyond a side that it seems to read.

    Points near a side may weight fewer cells than the others, of which the kernel of them all
    does not know.
    """
    points = launch.body
    return not isinstance(points, AtPoints) or weights_beyond(points, _side_of(box, space))


def read_beyond(launch: Launch, name: str, box: Box, space: Space) -> PlanError:
    """Return the refusal of a kernel that reads cells of a box where nothing fills them."""
    side = _side_of(box, space)
    if isinstance(launch.body, AtPoints):
        return point_beyond(launch.body, side)
    return PlanError(
        f"Kernel '{launch.kernel.name}' reads '{name}' beyond side '{side}' of the domain, where "
        "no boundary is given.",
        hint=f"Write {name}.boundary('{side}', …), make the grid periodic there, or restrict the "
        "kernel to a box.",
        place=launch.place,
    )


def check_evaluated(program: Program, items: Iterable[Item], known: set[Parameter]) -> None:
    """Refuse kernels and formulas that are given a reduction before it has a value.

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
                    scalars = [one for one in launch.scalars if isinstance(one, Parameter)]
                    is_reduced = any(name in program.only_reduced for name, _ in launch.writes)
                    what = f"The {launch.place}" if is_reduced else f"Kernel '{launch.kernel.name}'"
                    _check_known(what, scalars, known, "" if is_reduced else item.place)
            case Computed(parameter, value):
                _check_known(f"'assign' to '{parameter.name}'", (value,), known)
            case Reduced(_, _, _, result):
                known.add(result)
            case Repeat(_, passes):
                check_evaluated(program, passes[0], known)
            case Until(condition, inner):
                check_evaluated(program, inner, known)
                _check_known(f"The condition '{condition.name}'", (condition,), known)
            case Every(_, inner):
                # What is evaluated now and then only has no value before the first time.
                check_evaluated(program, inner, set(known))
            case _:
                pass


def _check_known(
    what: str, used: Iterable[Parameter], known: set[Parameter], place: str = ""
) -> None:
    for value in (parameter for one in used for parameter in one.parameters):
        if isinstance(value, Reduction) and math.isnan(value.value) and value not in known:
            raise PlanError(
                f"{what} is given the reduction '{value.name}' before it has been evaluated.",
                hint="Put the reduction before it among the steps, or give it a value to "
                "begin with: its attribute 'value'.",
                place=place,
            )


def _side_of(box: Box, space: Space) -> str:
    for axis in space.axes:
        if not space.periodic[axis]:
            if box.lower[axis] < 0:
                return f"{AXES[axis]}-"
            if box.upper[axis] > space.domain.upper[axis]:
                return f"{AXES[axis]}+"
    raise AssertionError(box)
