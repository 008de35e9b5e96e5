"""The random programs of 'make test': few in which everything occurs that must.

After a change of what is drawn this program chooses them anew, into 'sample.json':

    PYTHONPATH=tests .venv/bin/python tests/property/sample.py
"""

from __future__ import annotations

import json
import time
from collections import Counter
from pathlib import Path

from property.features import features
from property.runs import check, share
from property.wanted import IN_PROGRAMS, IN_WAYS

STORED = Path(__file__).with_suffix(".json")
# In how many of the chosen programs everything occurs, where there are so many.
TIMES = 2


def chosen(costs: dict[int, float], found: dict[int, set[str]]) -> list[int]:
    """Return the numbers of programs in which all features occur, in a short time."""
    left = Counter(name for names in found.values() for name in names)
    left = Counter({name: min(TIMES, count) for name, count in left.items()})
    numbers: list[int] = []
    while +left:
        rest = found.keys() - numbers
        best = max(rest, key=lambda n: sum(left[name] > 0 for name in found[n]) / costs[n])
        left.subtract(found[best])
        numbers.append(best)
    return sorted(numbers)


def main() -> None:
    """Run all programs and store the numbers of those that are chosen."""
    costs, found = {}, {}
    for number in share("numpy"):
        start = time.process_time()
        done = check(number, "numpy")
        costs[number] = 0.1 + time.process_time() - start
        found[number] = features(*done) & (IN_PROGRAMS | IN_WAYS) if done else set()
    STORED.write_text(json.dumps(chosen(costs, found)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
