"""Kept plans: what took long to plan is read from a file the next time, beside the built libraries.

A plan follows from program, decomposition, strategy, rank and platform, and from the text of this
package. A file has a digest of all of these for a name, and holds what a plan file has of a rank,
as MessagePack: that takes a tenth of the time of JSON, and knows infinity.
"""

from __future__ import annotations

import hashlib
import time
from typing import TYPE_CHECKING

from msgspec import DecodeError, msgpack

from halocline.errors import OutputError
from halocline.garbage import no_search_for_cycles
from halocline.jit.cache import cache_folder, digest, open_cache, package_digest
from halocline.plan.encoding import Encoder
from halocline.plan.pipeline import plan_of
from halocline.plan.plan_file import DAMAGE, section_of
from halocline.plan.value.plan import Plan
from halocline.tune.machine_file import write_whole

if TYPE_CHECKING:
    from pathlib import Path

    from halocline.plan.blocks.decomposition import Decomposition
    from halocline.plan.cells.strategy import Strategy
    from halocline.plan.platform import Platform
    from halocline.plan.program.program import Program

# Plans that take less than this of a processor are made again [s].
_LEAST_S = 0.05
# The oldest files are deleted beyond so many.
_MOST = 200
_SUFFIX = ".plan"


class KeptPlans:
    """The plans of a rank for any strategies.

    Args:
        program: What is planned.
        decomposition: Blocks and their owners.
        rank: The rank.
        platform: What it runs on.
    """

    def __init__(
        self, program: Program, decomposition: Decomposition, rank: int, platform: Platform
    ) -> None:
        self._program = program
        self._decomposition = decomposition
        self._rank = rank
        self._platform = platform
        self._encoder = Encoder(program)
        split = hashlib.sha256(msgpack.encode(self._encoder.encoded(decomposition))).hexdigest()
        self._words = (
            self._encoder.fingerprint,
            split,
            str(rank),
            repr(platform),
            package_digest(),
        )

    def plan(self, strategy: Strategy) -> Plan:
        """Return the plan for a strategy, from a file if there is one that can be read.

        Raises:
            PlanError: There is no such plan.
        """
        name = digest(*self._words, repr(strategy)) + _SUFFIX
        known = self._read(cache_folder() / name, strategy)
        if known is not None:
            return known
        started = time.process_time()
        plan = plan_of(self._program, self._decomposition, strategy, self._rank, self._platform)
        if time.process_time() - started > _LEAST_S:
            self._write(open_cache().folder / name, plan)
        return plan

    @no_search_for_cycles()
    def _read(self, path: Path, strategy: Strategy) -> Plan | None:
        try:
            section = msgpack.decode(path.read_bytes())
            own = self._encoder.decoded(section)
            return Plan(self._rank, strategy, self._decomposition, **own)
        except (OSError, DecodeError, *DAMAGE):
            return None

    def _write(self, path: Path, plan: Plan) -> None:
        """Write a plan down; where that is impossible, it is made again next time."""
        try:
            write_whole(path, msgpack.encode(section_of(plan, self._encoder, are_columns=True)))
        except OutputError:
            return
        files = sorted(path.parent.glob(f"*{_SUFFIX}"), key=_age)
        for old in files[_MOST:]:
            old.unlink(missing_ok=True)


def _age(path: Path) -> float:
    """Return a number that is less for newer files; another process may have deleted this one."""
    try:
        return -path.stat().st_mtime
    except OSError:
        return 0.0
