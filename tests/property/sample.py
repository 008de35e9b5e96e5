"""The random programs of 'make test': few in which everything occurs that must.

After a change of what is drawn this program chooses them anew, into 'sample.json':

    PYTHONPATH=tests .venv/bin/python tests/property/sample.py
"""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path

from many_ranks import mpi, virtual
from parallel.random_programs import tried
from property.runs import share
from property.wanted import IN_PROGRAMS, IN_WAYS, ON_RANKS

STORED = Path(__file__).with_suffix(".json")
# In how many of the chosen programs everything occurs, where there are so many.
TIMES = 2
RANKS = (virtual(2), virtual(3), virtual(4), mpi(2), mpi(3))
# How many programs are tried in one process, and on each number of ranks.
ALONE, TRIED = 360, 80

# Where a program runs, and its number.
Place = tuple[str, int]


def numbers_of(name: str) -> list[int]:
    """Return the numbers of the programs of a test: the chosen ones, or those of a campaign."""
    if "HALOCLINE_PROGRAMS" in os.environ:
        return list(share(name))
    numbers: list[int] = json.loads(STORED.read_text(encoding="utf-8"))[name]
    return numbers


def chosen(costs: dict[Place, float], found: dict[Place, set[str]]) -> list[Place]:
    """Return programs in which all features occur, in a short time."""
    left = Counter(name for names in found.values() for name in names)
    left = Counter({name: min(TIMES, count) for name, count in left.items()})
    places: list[Place] = []
    while +left:
        rest = sorted(found.keys() - places)
        best = max(rest, key=lambda n: sum(left[name] > 0 for name in found[n]) / costs[n])
        left.subtract(found[best])
        places.append(best)
    return sorted(places)


def main() -> None:
    """Run all programs and store the numbers of those that are chosen."""
    result: dict[str, list[int]] = {"numpy": [], **{str(ranks): [] for ranks in RANKS}}
    alone = {"numpy": virtual(1)}, "numpy", range(ALONE), IN_PROGRAMS | IN_WAYS
    many = {str(one): one for one in RANKS}, "", range(TRIED), IN_WAYS | ON_RANKS
    for kinds, target, numbers, wanted in (alone, many):
        costs, found = {}, {}
        for name, ranks in kinds.items():
            for number, took, features in ranks(tried, list(numbers), target, timeout=3000):
                costs[name, number] = 0.1 + ranks.size * took
                # Each kind of ranks at least once.
                found[name, number] = {*(wanted & set(features)), name}
        missing = wanted - set().union(*found.values())
        assert not missing, f"Try more programs, or another seed: {sorted(missing)} never occurred."
        for name, number in chosen(costs, found):
            result[name].append(number)
    STORED.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
