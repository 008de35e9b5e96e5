"""How large results may be so that the processor's caches still hold them when they are read."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from halocline.frozen import Frozen
from halocline.plan.platform import PRIVATE_CACHE_BYTES

# A cache of the third level said to be larger is that of a whole socket, or a hypervisor's
# invention: a core gets little of it, and slowly.
_LARGEST_BELIEVED = 32 << 20
# Plain stores win up to a third of the third level, measured with D2Q9 and D3Q19: the rest is for
# what is only read, and for others.
_USABLE_PART = 3
_FOLDER = Path("/sys/devices/system/cpu/cpu0/cache")


class Cache(Frozen):
    """A cache for data.

    Attributes:
        level: 1 is the nearest to the core.
        size: As the system reports it [bytes].
        sharers: Logical processors that it serves.
    """

    level: int
    size: int
    sharers: int

    def share(self, threads: int) -> int:
        """Return what it has for each of so many threads, as far as it is believed [bytes]."""
        return min(self.size, _LARGEST_BELIEVED) // min(self.sharers, threads)


def keeps(caches: tuple[Cache, ...], threads: int) -> int:
    """Return the bytes of results that the caches keep for a thread among so many on its node.

    They are taken to share caches as closely as they can: where they run is unknown.
    """
    kept = PRIVATE_CACHE_BYTES
    for data_cache in caches:
        share = data_cache.share(threads)
        if data_cache.level == 2:  # noqa: PLR2004 (the core's own)
            kept = max(kept, share)
        elif data_cache.level == 3 and data_cache.size <= _LARGEST_BELIEVED:  # noqa: PLR2004
            kept = max(kept, share // _USABLE_PART)
    return kept


@cache
def caches_here() -> tuple[Cache, ...]:
    """Return the data caches of this machine's first processor; empty if they are unknown."""
    return read_caches(_FOLDER) or _caches_of_library()


def read_caches(folder: Path) -> tuple[Cache, ...]:
    """Return the data caches that Linux lists in a folder; empty if there is nothing readable."""
    caches = []
    for index in sorted(folder.glob("index*")):
        try:
            words = {
                name: (index / name).read_text(encoding="ascii").strip()
                for name in ("level", "type", "size", "shared_cpu_list")
            }
            if words["type"] != "Instruction":
                sharers = _count(words["shared_cpu_list"])
                caches.append(Cache(int(words["level"]), _bytes(words["size"]), sharers))
        except (OSError, ValueError):
            continue
    return tuple(caches)


def _caches_of_library() -> tuple[Cache, ...]:
    """Return the caches that the C library reports; the third level counts as shared by all."""
    caches = []
    for level, sharers in ((2, 1), (3, os.cpu_count() or 1)):
        name = f"SC_LEVEL{level}_CACHE_SIZE"
        size = os.sysconf(name) if name in os.sysconf_names else 0
        if size > 0:
            caches.append(Cache(level, size, sharers))
    return tuple(caches)


def _bytes(text: str) -> int:
    """Return the number that '1024K' or '32M' stands for."""
    unit = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}.get(text[-1:])
    return int(text[:-1]) * unit if unit else int(text)


def _count(cpus: str) -> int:
    """Return how many processors a list such as '0-3,8' names."""
    ends = [part.split("-") for part in cpus.split(",")]
    return sum(int(part[-1]) - int(part[0]) + 1 for part in ends)
