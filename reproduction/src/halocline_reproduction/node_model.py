"""The performance model of paper 000, section 5.7, as it is printed there."""

from __future__ import annotations

from halocline.frozen import Frozen


class NodeModel(Frozen):
    """The model, with what it needs to know of a machine.

    Attributes:
        processes: p, processes a node.
        latency_between_s: L_e, between nodes [s].
        latency_inside_s: L_a, inside a node [s].
        bandwidth_between: B_e, of a node's link, both directions together [bytes/s].
        bandwidth_inside: B_a, of messages inside a node, both directions together [bytes/s].
        memory_bandwidth: M, of a process, three transfers for each value copied [bytes/s].
    """

    processes: int
    latency_between_s: float
    latency_inside_s: float
    bandwidth_between: float
    bandwidth_inside: float
    memory_bandwidth: float

    def step_s(self, cells: int) -> float:
        """Return the time of a D3Q19 step of cubic blocks exchanged axis after axis [s].

        A node's ranks are a chain: 4 p + 2 of their 6 p sides are turned to other nodes, and
        2 (p - 1) to each other. All messages of a kind share the bandwidth, five populations cross
        each side, and computing follows.

        The paper does not say whether M belongs to a node or to a process; since it divides the
        bytes of one process, it must be the process's part.

        Args:
            cells: N, cells along each side of a process's block.

        Source: paper 000, section 5.7.
        """
        p, side = self.processes, 5 * 8 * cells**2
        between = 3 * self.latency_between_s + side / (self.bandwidth_between / 2 / (4 * p + 2))
        inside = 3 * self.latency_inside_s
        if p > 1:
            inside += side / (self.bandwidth_inside / 2 / (2 * (p - 1)))
        return between + inside + 3 * 19 * 8 * cells**3 / self.memory_bandwidth

    def updates_per_s(self, cells: int, ranks: int) -> float:
        """Return P N^3 / t, the cells updated in a second by so many ranks [1/s]."""
        return ranks * cells**3 / self.step_s(cells)
