"""Plan file: the plans of all ranks, to be looked at, changed, and executed.

It is JSON. What all ranks have in common stands at its head; then there is a section for each rank.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import asdict

from halocline.errors import OutputError, PlanError
from halocline.frozen import Frozen
from halocline.geometry import by_axes
from halocline.plan.encoding import Encoder, decoded
from halocline.plan.value.plan import Plan

if TYPE_CHECKING:
    from collections.abc import Iterable

    from halocline.plan.blocks.decomposition import Decomposition
    from halocline.plan.cells.strategy import Strategy
    from halocline.plan.program.program import Program

# Plans of another version are refused: they are quickly made again.
VERSION = 9
_FORMAT = "halocline plan"
# What stands at the head, not in the sections.
_COMMON = ("strategy", "decomposition")
_WAYS = "Write one by 'simulation.write_plan' or 'halocline show plan CASE --write FILE'."
# Down to this depth each thing has lines of its own.
_DEPTH = 5
# What comes of records that are not as they were written.
DAMAGE = (
    *(KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError, RecursionError),
    PlanError,
)


class PlanFile(Frozen):
    """A plan file that was read.

    Attributes:
        path: Where from.
        fingerprint: Of the program, see 'Encoder'.
        has_devices: Whether kernels are to run on devices.
        strategy: What the plans follow.
        decomposition: Blocks and their owners.
        sections: What each rank does.
    """

    path: Path
    fingerprint: str
    has_devices: bool
    strategy: Strategy
    decomposition: Decomposition
    sections: tuple[dict[str, Any], ...]

    def check(self, extent: tuple[int, ...], ranks: int) -> None:
        """Refuse a grid or a number of ranks that it was not made for."""
        split = self.decomposition
        if (split.extent, split.ranks) != (extent, ranks):
            raise PlanError(
                f"The plan '{self.path}' is for {split.ranks} rank(s) and {by_axes(split.extent)} "
                f"cells; the simulation has {ranks} rank(s) and {by_axes(extent)} cells.",
                hint=_WAYS,
            )

    def check_device(self, *, has_devices: bool) -> None:
        """Refuse to run on a processor what was made for devices, and the other way round."""
        if has_devices != self.has_devices:
            here, there = ("devices", "processors") if has_devices else ("processors", "devices")
            raise PlanError(
                f"The plan '{self.path}' is for {there}; the simulation runs on {here}.", hint=_WAYS
            )

    def plan(self, program: Program, rank: int) -> Plan:
        """Return the plan of a rank.

        Raises:
            PlanError: It was made for another program, or is damaged.
        """
        encoder = Encoder(program)
        if encoder.fingerprint != self.fingerprint:
            raise PlanError(
                f"The plan '{self.path}' was made for other steps, fields, boundaries or numbers "
                "than those of the simulation.",
                hint=_WAYS,
            )
        try:
            own = encoder.decoded(self.sections[rank])
            return Plan(rank, self.strategy, self.decomposition, **own)
        except DAMAGE as error:
            raise _damaged(self.path, error) from None


def section_of(plan: Plan, encoder: Encoder, *, are_columns: bool = False) -> dict[str, Any]:
    """Return what a rank alone does, as it stands in a file; see 'Encoder.section'."""
    own = {name: part for name, part in asdict(plan).items() if name not in (*_COMMON, "rank")}
    return encoder.section(own, are_columns=are_columns)


def write_plans(
    path: Path, encoder: Encoder, plan: Plan, sections: Iterable[dict[str, Any]]
) -> None:
    """Write a file.

    Args:
        path: The file.
        encoder: Of the program.
        plan: Of any rank.
        sections: See 'section_of', of all ranks in order.

    Raises:
        OutputError: It cannot be written.
    """
    contents = {
        "format": _FORMAT,
        "version": VERSION,
        "program": encoder.fingerprint,
        "devices": plan.has_devices,
        **{name: encoder.encoded(getattr(plan, name)) for name in _COMMON},
        "ranks": list(sections),
    }
    try:
        path.write_text(_text(contents) + "\n", encoding="utf-8")
    except OSError as error:
        raise OutputError(
            f"The plan '{path}' could not be written: {error.strerror}.", hint="Name another file."
        ) from None


def check_undecided(**choices: Any) -> None:
    """Refuse what is chosen besides a plan, which has decided it."""
    chosen = [name for name, value in choices.items() if value not in ("auto", None, 1)]
    if chosen:
        raise PlanError(
            f"'{chosen[0]}' was given with 'plan'; expected one of them: a plan has decided it.",
            hint=f"Leave out '{chosen[0]}', or write another plan.",
        )


def read_plans(path: str | Path) -> PlanFile:
    """Read a plan file, all but what depends on the program.

    Raises:
        PlanError: It cannot be read, is of another version, or damaged.
    """
    path = Path(path)
    try:
        contents = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise PlanError(
            f"The plan '{path}' could not be read: {error.strerror}.", hint=_WAYS
        ) from None
    except (ValueError, RecursionError) as error:
        raise _damaged(path, error) from None
    if not isinstance(contents, dict) or contents.get("format") != _FORMAT:
        raise _damaged(path, ValueError(f"it does not begin with the format '{_FORMAT}'"))
    if contents.get("version") != VERSION:
        raise PlanError(
            f"The plan '{path}' has version {contents.get('version')} of the format; expected "
            f"version {VERSION}.",
            hint=_WAYS,
        )
    try:
        common = {name: decoded(contents[name]) for name in _COMMON}
        found = PlanFile(
            path, contents["program"], contents["devices"], **common, sections=contents["ranks"]
        )
        if len(found.sections) != found.decomposition.ranks:
            raise ValueError(f"it has {len(found.sections)} sections")
    except DAMAGE as error:
        raise _damaged(path, error) from None
    return found


def _damaged(path: Path, error: Exception) -> PlanError:
    what = f"there is no {error}" if isinstance(error, KeyError) else str(error).rstrip(".")
    return PlanError(f"The file '{path}' is no plan, or it is damaged: {what}.", hint=_WAYS)


def _text(value: Any, depth: int = 0) -> str:
    """Return JSON with a line for each thing that is not deep inside others."""
    if depth == _DEPTH or not value or not isinstance(value, dict | list):
        return json.dumps(value)
    inner, outer = " " * (depth + 1), " " * depth
    if isinstance(value, list):
        lines = [_text(one, depth + 1) for one in value]
    else:
        lines = [f"{json.dumps(name)}: {_text(one, depth + 1)}" for name, one in value.items()]
    body = ",\n".join(inner + line for line in lines)
    begin, end = "[]" if isinstance(value, list) else "{}"
    return f"{begin}\n{body}\n{outer}{end}"
