"""An open chain: kernels that will share an exchange, while the schedule may still add to them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from halocline.plan.program import Checked, Exchanged, Launch, Reduced
from halocline.plan.step import Break, EveryItem, StepEnd


@dataclass(slots=True)
class OpenChain:
    """A chain that may still grow.

    Attributes:
        launches: Its kernels, with fields named as when the chain begins.
        breaks: What stands between them.
        swaps: Swaps that are put off, since kernels can go on with the old names: until something
            needs the new ones, or the chain ends.
        names: From today's names of fields to those when the chain began, where they differ.
    """

    launches: list[Launch] = field(default_factory=list)
    breaks: list[Break] = field(default_factory=list)
    swaps: list[Exchanged] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)

    def named(self, launch: Launch) -> Launch:
        """Return a kernel with the names of the chain's beginning."""
        if not self.names:
            return launch
        return replace(launch, names=tuple(self.names.get(name, name) for name in launch.names))

    def swapped(self) -> list[tuple[str, str]]:
        """Return the fields that are swapped within or after the chain, in order."""
        items = [*(b.item for b in self.breaks), *self.swaps]
        return [(i.first, i.second) for i in items if isinstance(i, Exchanged)]

    def pass_by(self, item: Exchanged | Reduced | Checked | EveryItem | StepEnd) -> None:
        """Let something happen after the kernels so far."""
        if isinstance(item, Exchanged):
            first = self.names.get(item.first, item.first)
            second = self.names.get(item.second, item.second)
            self.names |= {item.first: second, item.second: first}
            self.swaps.append(item)
            return
        position = len(self.launches)
        self.breaks += [Break(position, one) for one in (*self.swaps, item)]
        self.swaps.clear()
