"""Strategy: how a step is distributed; each choice is a chapter of one of the papers."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from msgspec.structs import asdict, replace

from halocline.errors import PlanError
from halocline.frozen import Frozen, defaults
from halocline.language.numbers import Range
from halocline.options import check_options

Neighbours = Literal["direct", "staged"]
Width = Literal["minimal", "full"]
Messages = Literal["neighbour", "field"]
# What moves values whose fields lie in the memory of the host, and of a device: there the fastest
# first; the last two work everywhere.
HostTransport = Literal[
    "shared", "shared-push", "two-sided", "persistent", "datatype", "put", "get"
]
DeviceTransport = Literal["peer", "from-device", "via-host", "box-copies"]
Transport = Literal["auto", HostTransport, DeviceTransport]
Overlap = Literal["core-first", "rim-first", "postponed", "none"]
Wait = Literal["all", "any"]
Recompute = Literal["fewest-bytes", "rim", "all"]

DEVICE_TRANSPORTS: tuple[DeviceTransport, ...] = get_args(DeviceTransport)
# What works between ranks of one node only: it reads or writes the memory of another rank.
NEAR: tuple[Transport, ...] = ("shared", "shared-push", "peer")
# What needs one-sided memory of MPI.
ONE_SIDED: tuple[Transport, ...] = ("put", "get")
# What reads the owner's own cells, not a packed copy of them, for as long as an exchange lasts; a
# device packs while it computes.
UNPACKED = ("shared", "shared-push", "datatype", *DEVICE_TRANSPORTS)


class Strategy(Frozen):
    """The choices among ways that all give the same bits.

    Attributes:
        neighbours: 'direct' sends to all 8 or 26 neighbours at once; 'staged' axis after axis, so
            that corners ride along and only sides exchange messages.
        width: 'minimal' sends only what a kernel reads; 'full' the whole halo width of every
            component of the fields concerned.
        messages: One message for each 'neighbour', or one for each 'field' and neighbour.
        transport: What moves the values. 'shared': ranks of a node copy from each other's fields;
            'shared-push': into each other's. 'two-sided', 'persistent': packed messages of MPI;
            'datatype': not packed, a type of MPI describes the values; 'put', 'get': packed,
            written or fetched by one side. 'auto': 'shared' inside a node, 'two-sided' between
            nodes. With a device messages are packed there: 'via-host' sends a copy in the host's
            memory, 'from-device' passes MPI the device's memory, 'peer' lets the devices of a node
            read it; 'auto' takes what a test at the start finds to work. 'box-copies' does not
            pack: each box of cells is copied to the host.
        overlap: 'core-first' sends old values, computes what needs no halo, waits, computes the
            rim; 'rim-first' computes what others need, sends it, computes the core, waits;
            'postponed' splits no kernel, but sends as soon as the last kernel has written and
            waits just before the first that reads; 'none' exchanges before it computes.
        overlapped: How many kernels of a chain are split into core and rim: the first ones with
            'core-first', the last ones with 'rim-first'; None for all.
        tiles: Into how many pieces the core is cut; between them messages are polled.
        wait: 'all' messages before the rim, or 'any': work on whichever side has arrived.
        recompute: Which kernels share an exchange, since blocks compute again what neighbours have
            computed. 'fewest-bytes': those that need none of it but what takes fewer bytes to
            compute than to send. 'rim': those for which no halo gets wider than one
            of them reads. 'all': all of a step, however wide halos get, for the fewest messages.
        recompute_in_loops: The same of what a loop repeats, sub-steps for example; None for no
            difference.
        depth: Steps between exchanges; halos are so many times wider and the rim is recomputed.
        steps_in_cache: Steps that go through memory together, in tiles of which several steps are
            done while the caches hold them (time skewing); halos are that deep at least.
        poison: Overwrite halos with signalling NaN as soon as they are out of date (for tests).

    Example:
        >>> hc.Strategy(depth=2, overlap="core-first").depth
        2
    """

    neighbours: Neighbours = "direct"
    width: Width = "minimal"
    messages: Messages = "neighbour"
    transport: Transport = "auto"
    overlap: Overlap = "core-first"
    overlapped: Annotated[int | None, Range(least=0)] = None
    tiles: Annotated[int, Range(least=1)] = 4
    wait: Wait = "all"
    recompute: Recompute = "rim"
    recompute_in_loops: Recompute | None = None
    depth: Annotated[int, Range(least=1)] = 1
    steps_in_cache: Annotated[int, Range(least=1)] = 1
    poison: bool = False

    def __post_init__(self) -> None:
        check_options(Strategy, asdict(self))
        if self.steps_between_exchanges % self.steps_in_cache:
            raise PlanError(
                f"{self.steps_in_cache} steps in the caches were asked for with exchanges every "
                f"{self.depth} steps; expected one exchange for a whole number of them.",
                hint=f"Write depth={self.steps_in_cache}, or a multiple of that, or leave it out.",
            )

    @property
    def steps_between_exchanges(self) -> int:
        """How many steps follow one exchange; so deep are halos."""
        return self.steps_in_cache if self.depth == 1 else self.depth

    @property
    def is_widening(self) -> bool:
        """Whether halos get wider than a kernel reads, here or there."""
        return "all" in (self.recomputed(), self.recomputed(is_in_loop=True))

    @property
    def narrow(self) -> Strategy:
        """The same with halos as narrow as can be."""
        return replace(self, recompute="rim", recompute_in_loops=None, depth=1, steps_in_cache=1)

    def recomputed(self, *, is_in_loop: bool = False) -> Recompute:
        """Return what is computed again; all of it where halos last for several steps."""
        if self.steps_between_exchanges > 1:
            return "all"
        return (self.recompute_in_loops if is_in_loop else None) or self.recompute

    @property
    def is_unpacked(self) -> bool:
        """Whether owned cells may be read by others until the exchange is over."""
        return self.transport == "auto" or self.transport in UNPACKED

    def __str__(self) -> str:
        """Return the choices that differ from the defaults, as 'overlap=none, depth=2'."""
        usual = defaults(Strategy)
        changed = [f"{n}={value}" for n, value in asdict(self).items() if value != usual[n]]
        return ", ".join(changed) or "default"


def check_strategy(strategy: Strategy | str) -> Strategy | str:
    """Return a strategy or 'auto', or refuse what is neither.

    Raises:
        PlanError: It is neither.
    """
    if isinstance(strategy, Strategy) or strategy == "auto":
        return strategy
    raise PlanError(
        f"The simulation was given strategy={strategy!r}; expected 'auto' or a Strategy.",
        hint="Write hc.Strategy(…) with the choices you want.",
    )
