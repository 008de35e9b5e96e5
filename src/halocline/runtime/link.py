"""Link: what messages between nodes cost on another network, emulated on one machine."""

from __future__ import annotations

from math import isfinite
from typing import Annotated

from halocline.errors import PlanError, nearest
from halocline.frozen import Frozen
from halocline.options import Check


class Link(Frozen):
    """A network between nodes: a message of N bytes arrives L + N·G after it was sent.

    A rank sends one message after the other: the next leaves when N·G of the last is over.

    Attributes:
        name: What it is called in reports.
        latency_s: Latency L [s].
        seconds_per_byte: Time per byte G [s].
        note: Where the numbers are from.
    """

    name: str
    latency_s: float
    seconds_per_byte: float
    note: str = ""

    def __str__(self) -> str:
        """Return name and numbers: 'gigabit-2011 (L = 1.3e-04 s, G = 8.0e-09 s)'."""
        return f"{self.name} (L = {self.latency_s:.1e} s, G = {self.seconds_per_byte:.1e} s)"


_ASSUMED = "paper 004, table of latencies; the bandwidth is not given there and assumed: "

_PRESETS = (
    Link("gigabit-2011", 0.13e-3, 8e-9, "paper 002: ping 0.13 ms, 1 Gbit/s"),
    Link("qdr-infiniband", 2e-6, 1 / 3e9, "QDR InfiniBand: 2 microseconds, 3 GB/s"),
    Link("within-socket", 0.12e-6, 1 / 5e9, _ASSUMED + "5 GB/s"),
    Link("across-sockets", 0.25e-6, 1 / 4e9, _ASSUMED + "4 GB/s"),
    Link("qdr-ib-2014", 2.03e-6, 1 / 3e9, _ASSUMED + "3 GB/s, as of QDR InfiniBand"),
    Link("10g-roce", 2.2e-6, 8e-10, _ASSUMED + "10 Gbit/s, the name of the link"),
    Link("tcp-ip", 10.5e-6, 8e-10, _ASSUMED + "10 Gbit/s, over the same cards"),
)
LINKS = {link.name: link for link in _PRESETS}


def to_link(link: str | Link | None) -> Link | None:
    """Return the link that is meant: a preset's name, 'L=1e-5,G=1e-9' [s, s/byte], or a Link.

    Raises:
        PlanError: There is no such link.
    """
    parsed = _parse(link) if isinstance(link, str) else link
    if parsed is None:
        return None
    for name, value in (("L", parsed.latency_s), ("G", parsed.seconds_per_byte)):
        if not (isfinite(value) and value >= 0):
            raise PlanError(
                f"The link '{parsed.name}' has {name}={value:g}; expected a time of zero or more."
            )
    return parsed


# As 'join' and 'Simulation' take it.
AnyLink = Annotated[str | Link | None, Check(to_link)]


def _parse(text: str) -> Link:
    if text in LINKS:
        return LINKS[text]
    if "=" not in text:
        raise PlanError(
            f"The link '{text}' is not known; expected one of: {', '.join(LINKS)}; or its numbers "
            "as 'L=1e-5,G=1e-9' in seconds and seconds per byte.",
            hint=nearest(text, LINKS),
        )
    try:
        numbers = {
            key.strip(): float(value)
            for key, value in (item.split("=", maxsplit=1) for item in text.split(","))
        }
    except ValueError:
        numbers = {}
    if numbers.keys() != {"L", "G"}:
        raise PlanError(
            f"The link '{text}' cannot be read; expected latency and time per byte, as "
            "'L=1e-5,G=1e-9' in seconds and seconds per byte."
        )
    return Link(text, numbers["L"], numbers["G"], "given")
