"""Here: the machine on which figures were measured, in words that belong beside them."""

from __future__ import annotations

import os
import platform
import time
from pathlib import Path
from typing import Any

from halocline.tune.machine_file import mpi_version

# More than this many busy programs a core, and figures say little.
_BUSY = 0.5


def describe_here() -> dict[str, Any]:
    """Return processor, cores, memory, system, MPI, date, and how busy the machine is."""
    memory_bytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "processor": _first_value("/proc/cpuinfo", "model name") or platform.processor(),
        "cores": len(os.sched_getaffinity(0)),
        "memory_gb": round(memory_bytes / 1e9, 1),
        "system": platform.platform(),
        "mpi": " ".join(mpi_version().partition("\n")[0].split()),
        "date": time.strftime("%Y-%m-%d %H:%M"),
        "load": round(os.getloadavg()[0], 2),
    }


def summary(here: dict[str, Any]) -> str:
    """Return a line about the machine, with a warning if other programs use it."""
    line = f"{here['processor']}, {here['cores']} cores, {here['memory_gb']} GB, {here['mpi']}"
    is_busy = here["load"] > _BUSY * here["cores"]
    return f"{line}; BUSY: load {here['load']}, figures are noisy" if is_busy else line


def _first_value(path: str, key: str) -> str:
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except OSError:
        return ""
    values = (line.partition(":")[2].strip() for line in lines if line.startswith(key))
    return next(values, "")
