"""An open chain: kernels that will share an exchange, while the schedule may still add to them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from halocline.plan.step import Break

if TYPE_CHECKING:
    from halocline.plan.program import Launch
    from halocline.plan.step import Passed


@dataclass(slots=True)
class OpenChain:
    """A chain that may still grow.

    Attributes:
        launches: Its kernels.
        breaks: What stands between and after them.
    """

    launches: list[Launch] = field(default_factory=list)
    breaks: list[Break] = field(default_factory=list)

    def pass_by(self, item: Passed) -> None:
        """Let something happen after the kernels so far."""
        self.breaks.append(Break(len(self.launches), item))
