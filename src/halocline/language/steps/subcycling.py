"""Sub-cycling: the steps of a forest's levels in order, with what couples them at borders.

A step of a level begins with the finer one: its ghost cells are made of the values at the beginning
of the step (prolongation), deep enough for all its sub-steps. Then the finer level steps; in its
ghost cells its kernels run, too, as far as later sub-steps read: so no values are interpolated in
time (tapered borders: Schnetter, Hawley and Hawke, Class. Quantum Grav. 21 (2004) 1465). Then
the level itself steps. What it reads in place of the finer level is made of that before
(restriction). So nothing at borders lasts from step to step.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec.structs import replace

from halocline.errors import GridError
from halocline.geometry import added
from halocline.language.expressions.parameters import formula
from halocline.language.place import user_place
from halocline.language.spaces.role import Role
from halocline.language.steps.coupling import coupling_of, is_coupled
from halocline.language.steps.flux_correction import FLUX, added_up, check_once, taken
from halocline.language.steps.steps import Call
from halocline.language.steps.tree import Assign, Every, OnLevels, Repeat, Swap, Until, walk

if TYPE_CHECKING:
    from halocline.geometry import Offset
    from halocline.language.grids.composite import CompositeField
    from halocline.language.grids.fields import Field
    from halocline.language.grids.forest import Forest

# How far a field is read beyond a cell, downwards and upwards along each axis.
Interval = tuple["Offset", "Offset"]


def on_forest(steps: Iterable[Any]) -> tuple[Any, ...]:
    """Return a time step in which what is done on all levels of a forest is done in order.

    The kernels and swaps with which it begins are sub-cycled; what follows is done once in a step
    of the coarsest level, on all levels.
    """
    cycled, rest = _parted(steps)
    _check_coupled(cycled, rest)
    if not cycled:
        return _once(rest)
    forest = cycled[0].forest
    return (*Subcycling(forest, cycled).step(0, forest.substeps - 1), *_once(rest))


def once_on_forest(steps: Iterable[Any], beside: Iterable[Any] = ()) -> tuple[Any, ...]:
    """Return steps in which what is done on all levels is done once on each, the finest first.

    Args:
        steps: The steps.
        beside: The time step of the same simulation, which uses what they assign.
    """
    steps = tuple(steps)
    # What does nothing on levels, such as a reduction, leaves all as the time step was found.
    if any(isinstance(one, OnLevels) for one in walk(steps)):
        cycled, rest = _parted(beside)
        _check_coupled(cycled, (*rest, *steps))
    return _once(steps)


def _parted(steps: Iterable[Any]) -> tuple[tuple[OnLevels[Any], ...], tuple[Any, ...]]:
    """Return the steps that are sub-cycled, and those that are done once in a coarsest step."""
    steps = tuple(steps)
    count = next((n for n, step in enumerate(steps) if not isinstance(step, OnLevels)), len(steps))
    return steps[:count], steps[count:]


def _check_coupled(cycled: tuple[OnLevels[Any], ...], rest: Iterable[Any]) -> None:
    """Refuse steps that change a field and read in ghost or covered cells what nothing puts there.

    Raises:
        GridError: They do.
    """
    once = [one for one in walk(rest) if isinstance(one, OnLevels)]
    for step in once:
        check_once(step.levels[0], step.forest)
    together = [steps for steps in (cycled, *((step,) for step in once)) if steps]
    groups = [Subcycling(steps[0].forest, steps) for steps in together]
    lost = {f.level(0): f for group in groups for f in group.state if not is_coupled(f)}
    for group in groups:
        for step in group.steps:
            for field in sorted(_changed(step.levels[0]) & lost.keys(), key=str):
                found = lost[field]
                raise GridError(
                    f"Field '{found.name}' has the coupling '{found.coupling}', its values change, "
                    "and the next step reads them across borders of levels; there nothing makes "
                    "values of one level those of another.",
                    hint=f"Give '{found.name}' the coupling 'linear' or 'constant', or read it in "
                    "the cell itself alone.",
                    place=getattr(step.levels[0], "place", user_place()),
                )


def _changed(step: Call | Swap[Field]) -> set[Field]:
    """Return the fields that a step changes."""
    if isinstance(step, Swap):
        return {step.first, step.second}
    return {step.field(statement.field) for statement in step.kernel.statements}


def _once(steps: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(one for step in steps for one in _one_once(step))


def _one_once(step: Any) -> tuple[Any, ...]:
    match step:
        case tuple() | list():
            return _once(step)
        case Repeat(_, body) | Every(_, body):
            return (replace(step, body=_once(body)),)
        case Until():
            return (replace(step, body=_once(step.body)),)
        case OnLevels():
            return tuple(Subcycling(step.forest, (step,)).once())
        case _:
            return (step,)


class Subcycling:
    """The steps of a forest.

    Args:
        forest: The forest.
        steps: What is done on all levels.

    Attributes:
        state: The fields of whose values at the beginning some beyond a level's own are used.
    """

    def __init__(self, forest: Forest, steps: tuple[OnLevels[Any], ...]) -> None:
        self.forest = forest
        self.steps = steps
        # Those that have leaves and the next one: what that does is compiled when it gets some.
        self._levels = min(forest.leaves.finest + 2, forest.levels)
        wanted = _wanted([step.levels[0] for step in steps] * forest.substeps)
        self.state = [field for field in forest.fields.values() if _reach(wanted, field.level(0))]

    def step(self, level: int, number: int, begin: float = 0.0) -> list[Any]:
        """Return a step of a level, with the sub-steps of the finer ones.

        Args:
            level: Which.
            number: Of the sub-step within a step of the next coarser level.
            begin: When that begins [steps of the coarsest level].
        """
        result: list[Any] = []
        is_last = number + 1 == self.forest.substeps
        finer = level + 1
        if finer < self._levels:
            result += self._coupled("restrict", finer, level, Role("covered", level))
            result += self._coupled("prolong", level, finer, Role("ghost", finer))
            for substep in range(self.forest.substeps):
                later = substep * float(self.forest.substeps) ** -finer
                result += self.step(finer, substep, begin + later)
        if level in self.forest.begins:
            result.append(Assign(self.forest.begins[level], formula(begin)))
        for position, step in enumerate(self.steps):
            if level and is_last and position == self._returning:
                result += self._coupled("returned", level, level - 1, Role("covered", level - 1))
                result += self._coupled("at_corners", level, level - 1, Role("corner", level - 1))
            if isinstance(step.levels[level], Swap):
                result.append(step.levels[level])
            else:
                result += self._kernel(position, level, number, is_last=is_last)
        return result

    def once(self) -> list[Any]:
        """Return the steps on all levels, after what makes the values that they read at borders."""
        levels = range(self._levels)
        if any(isinstance(step.levels[0], Swap) for step in self.steps):
            return [one for step in self.steps for one in step.levels[: self._levels]]
        result: list[Any] = []
        for level in reversed(levels[1:]):
            result += self._coupled("restrict", level, level - 1, Role("covered", level - 1))
        for level in levels[1:]:
            result += self._coupled("prolong", level - 1, level, Role("ghost", level))
        for level in reversed(levels):
            result += [replace(step.levels[level], role=Role("leaf", level)) for step in self.steps]
        return result

    def _kernel(self, position: int, level: int, number: int, *, is_last: bool) -> list[Call]:
        """Return a kernel wherever its results are read on a level, and what couples fluxes."""
        step, has_finer = self.steps[position], level + 1 < self._levels
        own = step.levels[level]
        beyond = own if step.beyond is None else step.beyond[level]
        if own.is_inner:
            return [replace(own, role=Role("leaf", level))]
        is_read, fluxes = self._is_read_beyond(position), self._fluxes(position)
        result = []
        if level and (is_read or not is_last):
            result.append(replace(beyond, role=Role("ghost", level)))
        if has_finer and is_read and not fluxes:
            result.append(replace(own, role=Role("covered", level)))
        result.append(replace(own, role=Role("leaf", level)))
        for flux in fluxes:
            result += [taken(flux, level)] if has_finer else []
            result += added_up(flux, level, number) if level else []
        return result

    def _fluxes(self, position: int) -> list[CompositeField]:
        """Return the fluxes that a kernel assigns."""
        own = self.steps[position].levels[0]
        assigned = _changed(own)
        fields = self.forest.fields.values()
        return [field for field in fields if field.coupling == FLUX and field.level(0) in assigned]

    @property
    def _returning(self) -> int:
        """Before which step of the last sub-step values are returned to the coarser level.

        Before the first kernel for which another one stands in ghost cells: it takes these values
        from next door.
        """
        numbers = (n for n, step in enumerate(self.steps) if step.beyond is not None)
        return next(numbers, 0)

    def _coupled(self, what: str, source: int, target: int, role: Role) -> list[Call]:
        """Return what makes values of one level of those of another."""
        makers = ((field, getattr(coupling_of(field), what)) for field in self.state)
        made = (make(field.level(source), field.level(target)) for field, make in makers if make)
        calls = (
            call
            for call_or_calls in made
            for call in ([call_or_calls] if isinstance(call_or_calls, Call) else call_or_calls)
        )
        return [replace(call, role=role) for call in calls]

    def _is_read_beyond(self, position: int) -> bool:
        """Return whether cells of another level follow, in the same step, from a kernel's results.

        Not only if later kernels read them next door: others may do that with what a kernel made of
        them in the cell itself.
        """
        wanted = _wanted([step.levels[0] for step in self.steps[position + 1 :]])
        return any(_reach(wanted, field) for field in _changed(self.steps[position].levels[0]))


class Depths(NamedTuple):
    """How many cells beyond a level's own its steps read.

    Attributes:
        ghost: Beyond the level, before its first sub-step: an even number.
        covered: In place of the finer level.
        lowest: The coarsest level of a hierarchy (see 'role.py'), at most 0; None without one.
        has_corners: Whether they do something beside edges and corners of the finer level alone.
    """

    ghost: int
    covered: int
    lowest: int | None = None
    has_corners: bool = False


def depths_of(steps: Sequence[Any], substeps: int) -> Depths:
    """Return how far the steps of a forest read, as 'on_forest' has put them in order."""
    own = [step for step in steps if _is_of_coarsest(step)]
    # What is done once reads what was made for it alone, in loops, too.
    once = max((_furthest([one]) for one in walk(steps) if _is_of_coarsest(one)), default=0)
    calls = [one for one in walk(steps) if isinstance(one, Call)]
    solved = [call.role.level for call in calls if call.role.kind == "leaf or covered"]
    ghosts = [call for call in calls if call.role.kind == "ghost"]
    transfers = [one for one in ghosts if one.role.is_guest_in(one.space)]
    stencil = max(
        (abs(o) for t in transfers for _, _, offset in _coarse(t) for o in offset), default=0
    )
    ghost = 2 * -(-max(_furthest(own * substeps), once) // 2)
    covered = max(_furthest(own), once, stencil)
    has_corners = any(call.role.kind == "corner" for call in calls)
    depths = Depths(ghost, covered, has_corners=has_corners)
    return depths._replace(ghost=max(ghost, 2), lowest=min(0, *solved)) if solved else depths


def _is_of_coarsest(step: Any) -> bool:
    """Return whether a step is one that the coarsest level's own cells do."""
    if isinstance(step, Swap):
        return bool(step.first.space.level == 0)
    return isinstance(step, Call) and step.role == Role("leaf", 0)


def _coarse(transfer: Call) -> list[tuple[str, int, Offset]]:
    """Return what a transfer reads of the coarser level."""
    fields = {name: transfer.field(name) for name, _, _ in transfer.kernel.read}
    return [read for read in transfer.kernel.read if fields[read[0]].space == transfer.space]


def _furthest(steps: Sequence[Call | Swap[Field]]) -> int:
    """Return how far beyond a cell steps compute, or read, what its value after them follows from.

    What a step computes two cells away may follow from values that are nearer.
    """
    return max(
        (_reach(wanted, field) for wanted in _backwards(steps) for field in wanted), default=0
    )


def _reach(wanted: Mapping[Field, Interval], field: Field) -> int:
    return max((abs(n) for end in wanted.get(field, ()) for n in end), default=0)


def _wanted(steps: Sequence[Call | Swap[Field]]) -> dict[Field, Interval]:
    """Return which values before some steps a cell's own after them follow from, of each field."""
    *_, wanted = ({}, *_backwards(steps))
    return wanted


def _backwards(steps: Sequence[Call | Swap[Field]]) -> Iterator[dict[Field, Interval]]:
    """Yield what is wanted before each step, the last one first."""
    wanted: dict[Field, Interval] = {}
    for step in reversed(steps):
        if isinstance(step, Swap):
            pair = {step.first: step.second, step.second: step.first}
            wanted = {pair.get(field, field): reach for field, reach in wanted.items()}
            yield wanted
            continue
        if step.is_inner:
            continue
        here = (0,) * step.kernel.dimensions
        assigned = _changed(step)
        offsets = [wanted[f] for f in assigned if f in wanted]
        reach = _hull((here, here), *offsets)
        if step.mask is None:  # else other cells keep what they had
            wanted = {field: hull for field, hull in wanted.items() if field not in assigned}
        for name, _, offset in step.kernel.read:
            field = step.field(name)
            moved = added(reach[0], offset), added(reach[1], offset)
            wanted[field] = _hull(moved, wanted.get(field, moved))
        yield dict(wanted)


def _hull(*found: Interval) -> Interval:
    """Return the interval around some."""
    lower = tuple(map(min, zip(*(low for low, _ in found), strict=True)))
    return lower, tuple(map(max, zip(*(high for _, high in found), strict=True)))
