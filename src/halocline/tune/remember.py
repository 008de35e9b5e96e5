"""Remember: what was chosen for a case on a machine, in a file beside the built libraries."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from msgspec.structs import asdict

from halocline.errors import HaloclineError, OutputError
from halocline.jit.cache import open_cache
from halocline.language.expressions.show import show
from halocline.language.points.at_points import AtPoints
from halocline.language.series.filling import Fill
from halocline.language.steps.tree import Every, Repeat, Swap, Until
from halocline.plan.cells.strategy import Strategy
from halocline.plan.program.arrangement import INITIAL
from halocline.plan.program.program import Launch, Reduced
from halocline.tune.autotuner import Choice, TrialResult
from halocline.tune.machine_file import write_whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from halocline.plan.blocks.decomposition import Decomposition
    from halocline.plan.program.program import Item, Program
    from halocline.tune.work import Placement

# Choices made by another version of the model or of the trials are made again.
VERSION = 2
# The oldest choices are forgotten beyond so many.
_MOST = 500


def choices_path() -> Path:
    """Return the file of choices: beside the built libraries."""
    return open_cache().folder / "choices.json"


def case_key(program: Program, decomposition: Decomposition, placement: Placement) -> str:
    """Return a digest of all that the time of a step depends on, apart from the machine."""
    words = [
        repr((program.extent, program.periodic, decomposition.ranks)),
        decomposition.listing,
        *map(repr, decomposition.shifts),
        repr((placement.ranks_per_node, placement.threads, placement.ranks_sharing_memory)),
        *(
            f"{field.name} {field.dtype} {field.components} {field.layout}"
            for field in program.fields
        ),
        # The other steps of a round do the same with other storages.
        *_words(program.steps[0]),
        repr(program.ends[0]),
    ]
    for name, launches in program.boundaries[INITIAL].items():
        words += [name, *_words(launches)]
    return hashlib.sha256("\n".join(words).encode()).hexdigest()[:24]


def _words(items: Iterable[Item]) -> list[str]:
    """Return kernels and what stands between them as text; the values of scalars do not matter."""
    words: list[str] = []
    for item in items:
        match item:
            case Launch():
                words += [show(item.kernel), repr((item.names, item.region, item.on_demand))]
                words += [item.body.digest] if isinstance(item.body, AtPoints | Fill) else []
            case Repeat(count, passes):
                words += [
                    f"loop {count}",
                    *(word for inner in passes for word in _words(inner)),
                    "end",
                ]
            case Until(condition, inner, most):
                words += [f"until {condition.name} {most}", *_words(inner), "end"]
            case Every(interval, inner):
                words += [f"every {interval}", *_words(inner), "end"]
            case Swap(first, second):
                words.append(f"swap {first} {second}")
            case Reduced(kind, field, component):
                words.append(f"reduce {kind} {field} {component}")
            case _:
                words.append(type(item).__name__)
    return words


def recall(path: Path, identity: str, key: str) -> Choice | None:
    """Return what was chosen, or None: never, or the file cannot be read or understood.

    Args:
        path: The file.
        identity: Of the machine, see 'identity_here'.
        key: Of the case, see 'case_key'.
    """
    try:
        entry = _read(path)[f"{identity} {key}"]
        strategy = Strategy(**entry["strategy"])
        tried = tuple(map(_tried, entry["tried"]))
    except (KeyError, TypeError, ValueError, OverflowError, HaloclineError):
        return None
    return Choice(strategy, tried, is_remembered=True)


def _tried(entry: Mapping[str, Any]) -> TrialResult:
    measured = entry["measured_s"]
    return TrialResult(
        str(entry["strategy"]),
        float(entry["predicted_s"]),
        None if measured is None else float(measured),
    )


def remember(path: Path, identity: str, key: str, choice: Choice) -> None:
    """Write down a choice; where that is impossible, it is made again next time."""
    entries = _read(path)
    entries.pop(f"{identity} {key}", None)
    entries[f"{identity} {key}"] = {
        "strategy": asdict(choice.strategy),
        "tried": [asdict(trial) for trial in choice.tried],
    }
    kept = dict(list(entries.items())[-_MOST:])
    try:
        write_whole(path, json.dumps({"version": VERSION, "choices": kept}, indent=1) + "\n")
    except OutputError:
        return


def _read(path: Path) -> dict[str, Any]:
    """Return all choices in a file; none if it is missing, damaged or of another version."""
    try:
        table = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(table, dict) or table.get("version") != VERSION:
        return {}
    choices = table.get("choices")
    return dict(choices) if isinstance(choices, dict) else {}
