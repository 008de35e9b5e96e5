"""How much memory this process can still take, as the system tells."""

from __future__ import annotations

from math import inf
from pathlib import Path

from halocline.frozen import Frozen

_UNITS = ("bytes", "kB", "MB", "GB", "TB", "PB")


class _Accounts(Frozen):
    """Where a version of Linux's control groups keeps a group's limit and use of memory."""

    limit: str
    used: str
    unneeded: str  # of what is used, in 'memory.stat'


_FIRST = _Accounts("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
_SECOND = _Accounts("memory.max", "memory.current", "inactive_file")


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


def size_text(count: float) -> str:
    """Return a number of bytes as '80.0 GB'."""
    unit = 0
    while count >= 1000 and unit < len(_UNITS) - 1:  # noqa: PLR2004 (of the metric system)
        count, unit = count / 1000, unit + 1
    return f"{count:,.1f} {_UNITS[unit]}" if unit else f"{count:,.0f} bytes"
