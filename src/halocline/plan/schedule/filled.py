"""Reads beyond the domain of what no kernel provides."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halocline.geometry import without
from halocline.plan.program.arrangement import INITIAL
from halocline.plan.program.checks import read_beyond, uses_beyond
from halocline.plan.program.program import all_launches

if TYPE_CHECKING:
    from collections.abc import Iterable

    from halocline.geometry import Box
    from halocline.plan.cells.access import Key
    from halocline.plan.program.program import Launch, Program
    from halocline.plan.schedule.chains import Demands


class FilledCheck:
    """Refuses reads beyond the domain of what no kernel provides, seen from where it is wanted.

    A kernel on a layer runs only where its results are read, so only for a finished chain it is
    known where it reads.
    """

    def __init__(self, program: Program) -> None:
        self._spaces = program.spaces
        self._groups = program.groups
        boundaries = [one for found in program.boundaries[INITIAL].values() for one in found]
        self._assigned = self._by_component(all_launches(program.steps[0]))
        self._filled = self._by_component(boundaries)

    def __call__(self, launches: Iterable[Launch], asked: Demands) -> None:
        """Check what kernels ask for of memory as it is before them."""
        for need in (*asked.needs, *asked.own):
            key = (need.field, need.component)
            inside = self._spaces[need.field].inside
            rest = without(need.reach.region.subtract(inside), self._assigned.get(key, ()))
            if not rest:
                continue
            readers = [one for one in launches if key in {a.key for a in one.reads}]
            if any(one.is_layer and need.field in dict(one.writes) for one in readers):
                # Layers see those that their own field has beyond other sides as they are.
                rest = without(rest, self._filled.get(key, ()))
            for box in rest:
                self._check_read(readers, key, box)

    def _check_read(self, readers: list[Launch], key: Key, box: Box) -> None:
        """Refuse the first of some kernels that reads a box where nothing fills it."""
        for reader in readers:
            reads = [access for access in reader.reads if access.key == key]
            is_near = any(access.cells(reader.region).meets(box) for access in reads)
            if is_near and uses_beyond(reader, box, self._spaces[key[0]]):
                name = reader.where.field(key[0])
                raise read_beyond(reader, name, box, self._spaces[name])

    def _by_component(self, launches: Iterable[Launch]) -> dict[tuple[str, int], list[Box]]:
        """Return which cells kernels assign of each component, in any storage of its field."""
        result: dict[tuple[str, int], list[Box]] = {}
        for launch in launches:
            for access in launch.assigns:
                for other in self._groups.get(access.field, {access.field}):
                    boxes = result.setdefault((other, access.component), [])
                    boxes.append(access.cells(launch.region))
        return result
