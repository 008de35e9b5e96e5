"""Halocline beside Devito, lbmpy and loops by hand: rates in turns, on all cores of this machine.

    python bench/peers/compare.py [--turns 5] [--seconds 1] [--into build/peers] [case …]

A case is 'heat', 'wave' (radius 4) or 'lattice:two-grids', 'lattice:in-place' (D3Q19, BGK), the
cells along an edge, and the type: 'heat-512-float32'. Without any all of CASES are done. The peers
are installed into a virtual environment of their own. Before anything is timed all workers do eight
steps from the same values, and what they get must agree.
"""

import argparse
import json
import statistics
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

# lbmpy asks py-cpuinfo for the instructions of the processor, without requiring it.
PEERS = ("devito==4.8.23", "lbmpy==2.0", "py-cpuinfo>=9.0")
CASES = (
    *(f"heat-{n}-{t}" for n in (128, 512) for t in ("float32", "float64")),
    *(f"wave-{n}-float32" for n in (128, 512)),
    *(
        f"lattice:{s}-{n}-{t}"
        for s in ("two-grids", "in-place")
        for n in (128, 256)
        for t in ("float64", "float32")
    ),
)
HERE = Path(__file__).parent


class Worker:
    """A process that steps when it is asked to."""

    def __init__(self, python: str, file: str, words: list[str]) -> None:
        self.process = subprocess.Popen(
            [python, str(HERE / file), *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.values: list[float] = self._answer()["values"]
        self.rates: list[float] = []

    def take_turn(self, seconds: float) -> None:
        """Step for so long and note the rate."""
        self._say(seconds)
        self.rates.append(self._answer()["rate"])

    def _say(self, seconds: float) -> None:
        assert self.process.stdin
        self.process.stdin.write(f"{seconds}\n")
        self.process.stdin.flush()

    def _answer(self) -> dict[str, Any]:
        assert self.process.stdout
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"A worker ended: {self.process.args}")
        answer: dict[str, Any] = json.loads(line)
        return answer


def workers_of(case: str, peers: str) -> dict[str, Worker]:
    """Return the workers of a case by the names of what they measure."""
    # The name of a lattice's streaming has a hyphen, too.
    name, *others = words = case.rsplit("-", 2)
    kinds = {"Halocline": (sys.executable, "halocline_worker.py", words)}
    if name in {"heat", "wave"}:
        kinds["Devito"] = (peers, "devito_worker.py", words)
    else:
        kinds["lbmpy, kernel alone"] = (peers, "lbmpy_worker.py", [name, *others, "alone"])
        kinds["lbmpy"] = (peers, "lbmpy_worker.py", words)
    if name != "wave":
        kinds["by hand"] = (sys.executable, "bare_worker.py", words)
    return {kind: Worker(*how) for kind, how in kinds.items()}


def check(case: str, workers: dict[str, Worker]) -> None:
    """Compare what workers get."""
    expected = workers["Halocline"].values
    for name, worker in workers.items():
        for one, other in zip(worker.values, expected, strict=False):
            if abs(one - other) > 1e-5 * abs(other):
                raise SystemExit(f"{case}: {name} gets {worker.values}; expected {expected}.")


def main() -> None:
    """Measure and print a line for each case."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cases", nargs="*", default=CASES)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--into", type=Path, default=Path("build/peers"))
    options = parser.parse_args()
    peers = options.into / "bin" / "python"
    if not peers.exists():
        venv.create(options.into, with_pip=True)
        subprocess.run([peers, "-m", "pip", "install", "-q", *PEERS], check=True)
    for case in options.cases:
        workers = workers_of(case, str(peers))
        check(case, workers)
        for _ in range(options.turns):
            for worker in workers.values():
                worker.take_turn(options.seconds)
        ours = workers["Halocline"].rates
        shown = []
        for name, worker in workers.items():
            ratio = statistics.median(a / b for a, b in zip(ours, worker.rates, strict=True))
            rates = [r / 1e6 for r in (min(worker.rates), max(worker.rates))]
            middle = statistics.median(worker.rates) / 1e6
            shown.append(f"{name} {middle:.0f} ({rates[0]:.0f} to {rates[1]:.0f}; x{ratio:.2f})")
            worker.process.stdin.close()
            worker.process.wait()
        print(f"{case}: million cells/s {', '.join(shown)}", flush=True)


if __name__ == "__main__":
    main()
