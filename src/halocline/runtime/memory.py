"""Memory: what fields and messages take, and what there is, asked before anything is stored."""

from __future__ import annotations

import os
from dataclasses import dataclass
from math import inf
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING

from halocline.errors import OutOfMemoryError
from halocline.runtime import _core
from halocline.runtime.storage import stored_field, three

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from halocline.plan.layout import FieldLayout
    from halocline.plan.plan import Plan
    from halocline.runtime.device import OpenDevice
    from halocline.runtime.job import Job

_UNITS = ("bytes", "kB", "MB", "GB", "TB", "PB")
# How many fields a message lists.
_LISTED = 5
_MESSAGES = "messages"


@dataclass(frozen=True, slots=True)
class Memory:
    """Some memory that ranks share.

    Attributes:
        where: What it belongs to; the same for all who share it.
        free: What nobody has taken yet [bytes]; infinite where that is not known.
    """

    where: str
    free: float


@dataclass(frozen=True, slots=True)
class _Accounts:
    """Where a version of Linux's control groups keeps a group's limit and use of memory."""

    limit: str
    used: str
    unneeded: str  # of what is used, in 'memory.stat'


_FIRST = _Accounts("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
_SECOND = _Accounts("memory.max", "memory.current", "inactive_file")


def check_memory(layouts: Iterable[FieldLayout], plan: Plan, device: OpenDevice, job: Job) -> None:
    """Refuse fields that do not fit into memory before any is stored; collective.

    Args:
        layouts: How they would be stored.
        plan: Says where, and what is sent.
        device: Where kernels run; fields are then stored there, too.
        job: The ranks.

    Raises:
        OutOfMemoryError: They do not fit, on all ranks.
    """
    needed = bytes_needed(layouts, plan, device.alignment)
    memories = [Memory(f"node '{os.uname().nodename}'", free_memory())]
    if isinstance(device.handle, _core.CudaDevice):
        where = f"{device.handle.name} of {memories[0].where}"
        memories.append(Memory(where, device.handle.memory[0]))
    for memory in memories:
        users: dict[str, list[tuple[Memory, Mapping[str, int]]]] = {}
        for one in job.everywhere((memory, needed)):
            users.setdefault(one[0].where, []).append(one)
        for where, ranks in users.items():
            free = min(found.free for found, _ in ranks)
            _check(Memory(where, free), [of_rank for _, of_rank in ranks])


def _check(memory: Memory, ranks: list[Mapping[str, int]]) -> None:
    together = {name: sum(of_rank[name] for of_rank in ranks) for name in ranks[0]}
    total = sum(together.values())
    if total <= memory.free:
        return
    largest = sorted(filter(itemgetter(1), together.items()), key=itemgetter(1), reverse=True)
    listed = [f"{name} {_size(size)}" for name, size in largest[:_LISTED]]
    more = len(largest) - _LISTED
    most = max(sum(of_rank.values()) for of_rank in ranks)
    raise OutOfMemoryError(
        f"Fields and messages take {_size(total)} on {memory.where} ({len(ranks)} rank(s), at most "
        f"{_size(most)} each), where {_size(memory.free)} are free: {', '.join(listed)}"
        + (f" and {more} more." if more > 0 else "."),
        hint="Use more nodes or devices, a smaller grid, dtype='float32' or 'float16', or for a "
        "flow streaming='in-place'.",
    )


def bytes_needed(layouts: Iterable[FieldLayout], plan: Plan, alignment: int) -> dict[str, int]:
    """Return what each field, with halo and padding, and packed messages take on a rank [bytes]."""
    messages = [m for exchange in plan.exchanges for m in (*exchange.sends, *exchange.receives)]
    fields = {
        layout.name: sum(
            # The runtime counts up to 64 bits.
            max(
                stored_field(layout, alignment).bytes_on_block(three(block.box.extent, 1), slot),
                layout.stored(block.box).cells * layout.components * layout.bytes_per_value,
            )
            for block in plan.blocks
        )
        for slot, layout in enumerate(layouts)
    }
    return {**fields, _MESSAGES: sum(plan.bytes_of(message.parts) for message in messages)}


def free_memory(proc: Path = Path("/proc"), groups: Path = Path("/sys/fs/cgroup")) -> float:
    """Return what this process and others can still take of the machine's memory [bytes].

    That is what the system has left, and what every control group of the process may still take;
    infinite where the system tells nothing.

    Args:
        proc: The system's folder of that name.
        groups: Where it shows control groups.
    """
    found = [inf]
    words = _words(proc / "meminfo")
    if "MemAvailable:" in words:
        found.append(1024 * words["MemAvailable:"])
    for line in _lines(proc / "self/cgroup"):
        _, controllers, path = line.split(":", 2)
        if controllers == "":
            found += _left(groups, path, _SECOND)
        elif "memory" in controllers.split(","):
            found += _left(groups / "memory", path, _FIRST)
    return min(found)


def _left(root: Path, path: str, accounts: _Accounts) -> list[int]:
    """Return what a control group and those around it may still take [bytes]."""
    found = []
    group = root / path.strip("/")
    for folder in (group, *group.parents):
        limit, used = _lines(folder / accounts.limit), _lines(folder / accounts.used)
        if limit and used and limit[0].isdecimal():
            unneeded = _words(folder / "memory.stat").get(accounts.unneeded, 0)
            found.append(max(0, int(limit[0]) - int(used[0]) + unneeded))
        if folder == root:
            break
    return found


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="ascii").splitlines()
    except (OSError, ValueError):
        return []


def _words(path: Path) -> dict[str, int]:
    """Return the numbers of a file of lines such as 'MemAvailable: 17 kB'."""
    pairs = [line.split()[:2] for line in _lines(path)]
    return {pair[0]: int(pair[1]) for pair in pairs if len(pair) > 1 and pair[1].isdecimal()}


def _size(count: float) -> str:
    """Return a number of bytes as '80.0 GB'."""
    unit = 0
    while count >= 1000 and unit < len(_UNITS) - 1:  # noqa: PLR2004 (of the metric system)
        count, unit = count / 1000, unit + 1
    return f"{count:,.1f} {_UNITS[unit]}" if unit else f"{count:,.0f} bytes"
