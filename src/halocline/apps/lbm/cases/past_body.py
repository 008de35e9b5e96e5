"""Flow past a body at rest: what cylinders and the sphere have in common.

The length is the body's diameter D, the speed the mean velocity of what comes in at x-. Lengths are
given in diameters, coordinates too; the inlet lies in the middle of the first cells.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, floor, prod
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import numpy as np

import halocline as hc
from halocline.apps.arguments import Needs
from halocline.apps.comparison import Comparison
from halocline.apps.lbm.cases.flow_pictures import FlowFigure
from halocline.apps.lbm.cases.refined_case import RefinedCase
from halocline.apps.lbm.cases.settling import PERIODS, TOLERANCE, WINDOW, Settling, State, settling
from halocline.apps.lbm.cases.steady_case import SteadyCase
from halocline.apps.lbm.flow.body_force import body_force
from halocline.apps.lbm.setup.bodies import Body
from halocline.apps.lbm.setup.geometry_file import read_geometry, read_solids
from halocline.apps.lbm.setup.sides import HELD, Boundary, FreeSlip, Inflow, Outflow, Pressure, Wall
from halocline.errors import CaseError
from halocline.io.plots import Curve, Plot
from halocline.io.quantity import Integral
from halocline.language.grids.sides import names_of_sides
from halocline.language.numbers import Range

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from halocline.apps.lbm.cases.flow_case import FlowResult
    from halocline.apps.lbm.flow.flow import Flow
    from halocline.apps.lbm.setup.setup import Setup
    from halocline.apps.sampled import Values
    from halocline.language.steps.steps import Step

Diameters = Annotated[float, Range(least=1.0)]
Sides = Literal["wall", "free-slip"]
WallPlaces = Literal["curved", "half-way"]
Inlet = Literal["parabola", "uniform"]

# A centre of a cell on the surface lies inside, whichever way its coordinates are rounded [cells].
_NEAR = 1e-9
# How far around a body the flow begins slowly [cells].
_STILL = 2.0
# How far before the middle of a body and beside it cells are halved for its wake [diameters].
_BEFORE, _BESIDE = 1.0, 1.5
# A centre of a cell on the surface lies inside, whichever way it is rounded [cells].
_ON_SURFACE = 1e-6
# Cells before the surface that a parabola goes through, and across the line on each side.
_CELLS_BEFORE, _CELLS_BESIDE = 3, 2


@dataclass(frozen=True)
class PastBody(SteadyCase, RefinedCase):
    """Parameters of flow past a body.

    Attributes:
        upstream: From the inlet to the middle of the body [diameters].
        downstream: From there to the outlet [diameters].
        below: From the side y- to the middle of the body [diameters].
        above: From there to the side y+ [diameters].
        sides: What is at the sides along the flow.
        inlet: 'parabola' between walls, in 3-D the product of two, or 'uniform'.
        outlet: 'outflow', which vortices and sound leave, or 'pressure', which is constant there.
        ramp: In how long what comes in grows from nothing; 0 to begin with it everywhere but around
            the body, which is a blow [diameters over speed].
        walls: 'curved' where the surface of the body is, or 'half-way' between centres of cells,
            as steps.
        geometry: A file of solid cells in place of the body: a .npy array, an image or an .stl
            surface; only surfaces have curved walls.
        wake: How far behind the middle of the body cells are halved, too, on levels: once less
            often than at the body, but at least once, in a box three diameters wide that begins a
            diameter before; 0 for none [diameters].
    """

    needs: ClassVar[Needs] = (("'levels'", lambda case: case.levels > 0, ("near", "wake")),)
    samples: ClassVar[float] = 20.0
    refined: ClassVar[str] = "towards the body"
    fills_up: ClassVar[bool] = True

    upstream: Diameters = 2.0
    downstream: Diameters = 20.0
    below: Diameters = 2.0
    above: Diameters = 2.1
    sides: Sides = "wall"
    inlet: Inlet = "parabola"
    outlet: Literal["outflow", "pressure"] = "outflow"
    ramp: Annotated[float, Range(least=0.0)] = 1.0
    walls: WallPlaces = "curved"
    geometry: str | None = None
    wake: Annotated[float, Range(least=0.0)] = 0.0

    @property
    def extent(self) -> tuple[int, ...]:
        """Cells along each axis, on several levels whole blocks of them."""
        cells = self.scaling.cells
        length = round((self.upstream + self.downstream) * cells) + 1
        along = (length, *(self._across,) * (self.axes - 1))
        block = self.block if self.levels else 1
        return tuple(-(-n // block) * block for n in along)

    @property
    def _across(self) -> int:
        """Cells from side to side."""
        return round((self.below + self.above) * self.scaling.cells)

    @property
    def middle(self) -> tuple[float, ...]:
        """The middle of the body [length unit, from the low corner of the domain]."""
        cells, cell = self.scaling.cells, self.units.cell
        below = self.below * cells
        if self.sides == "free-slip":
            # Whole blocks make a stream wider, on both sides alike.
            below += 0.5 * (self.extent[1] - self._across)
        return (self.upstream * cells + 0.5) * cell, *(below * cell,) * (self.axes - 1)

    @property
    def area(self) -> float:
        """What the body shows to the flow [cells, or cells²]."""
        raise NotImplementedError

    def check(self) -> None:
        """Raise a CaseError for what cannot be computed."""
        super().check()
        if self.inlet == "parabola" and self.sides != "wall":
            raise CaseError(
                "A parabola was asked for where there are no two walls.",
                hint="Write inlet=uniform, or sides=wall.",
            )
        if self.levels and (self.geometry or self.walls != "curved"):
            what = "A file of geometry" if self.geometry else "walls=half-way"
            raise CaseError(
                f"{what} was given with levels, which are made around a cylinder or sphere with "
                "its walls where they are.",
                hint="Leave out one of the two.",
            )
        if self.geometry:
            self.solid()

    def solid(self) -> NDArray[np.bool_]:
        """Return where cells are solid: those whose centre lies in the body."""
        if self.geometry:
            return read_geometry(self.geometry, self.extent, self.units.cell)
        return Body(self.away).cells(hc.Grid(self.extent, spacing=self.units.cell))

    def away(self, *coordinates: Any) -> Any:
        """Return how far away the body is, at coordinates, all in the length unit."""
        square = sum(x**2 for x in self._from_middle(coordinates))
        return np.sqrt(square) - (0.5 * self.scaling.cells + _NEAR) * self.units.cell

    def _from_middle(self, coordinates: Sequence[Any]) -> Sequence[Any]:
        """Return how far along each axis coordinates are from the middle of the body."""
        return [x - m for x, m in zip(coordinates, self.middle, strict=True)]

    def wanted(self, *coordinates: Any) -> Any:
        """Return the required level at coordinates, around the body and in its wake."""
        levels = super().wanted(*coordinates)
        if not self.wake:
            return levels
        diameter = self.scaling.length * self.units.cell
        x, *across = (at / diameter for at in self._from_middle(coordinates))
        is_behind = (x > -_BEFORE) & (x < self.wake)
        for at in across:
            is_behind = is_behind & (abs(at) < _BESIDE)
        return np.where(is_behind, np.maximum(levels, max(1, self.levels - 1)), levels)

    def _solids(self) -> dict[str, Any]:
        """Return the arguments of a setup that describe the body."""
        if self.walls == "half-way":
            return {"solid": self.solid()}
        if self.geometry:
            return read_solids(self.geometry, self.extent)
        return {"bodies": (Body(self.away, name=self.name),)}

    def _incoming(self, *across: Any) -> tuple[Any, ...]:
        """Return the velocity that comes in in the end, at places across the flow [length unit]."""
        u, still = self.scaling.speed, (0.0,) * (self.axes - 1)
        if self.inlet == "uniform":
            return (u, *still)
        height = self._across * self.units.cell
        for y in across:
            u = 6.0 * u / height**2 * y * (height - y)
        return (u, *still)

    def _inflow(self) -> Callable[..., tuple[Any, ...]]:
        """Return the velocity that comes in, as a function of the place and, with a ramp, of t."""

        def rising(t: Any, *across: Any) -> tuple[Any, ...]:
            u, *still = self._incoming(*across)
            return (u * hc.ramp(t, self.ramp * self._passing), *still)

        # What a function is given follows from the names of its arguments.
        if self.axes == len("xy"):
            if self.ramp:
                return lambda y, t: rising(t, y)
            return lambda y: self._incoming(y)  # noqa: PLW0108
        if self.ramp:
            return lambda y, z, t: rising(t, y, z)
        return lambda y, z: self._incoming(y, z)  # noqa: PLW0108

    def setup(self) -> Setup:
        """Return what the flow is."""
        outlet = Pressure() if self.outlet == "pressure" else Outflow()
        along = names_of_sides(self.axes)[2:]
        # An open side reads what walls send into its cells: walls come first.
        sides: dict[str, Boundary] = dict.fromkeys(
            along, Wall() if self.sides == "wall" else FreeSlip()
        )
        ends = {"x-": Inflow(self._inflow(), HELD), "x+": outlet}
        more = self._solids()
        if self.levels and self.sides == "wall":
            more["solid"] = self._filling()
        return self.lattice_setup(self.extent, sides={**sides, **ends}, **more)

    def _filling(self) -> NDArray[np.bool_]:
        """Return where cells are solid only because domains are made of whole blocks."""
        solid = np.zeros(self.extent, bool)
        for axis in range(1, self.axes):
            solid[(slice(None),) * axis + (slice(self._across, None),)] = True
        return solid

    def start(self, flow: Flow) -> None:
        """Begin at rest, or with what comes in everywhere but around the body."""
        if self.ramp:
            return
        still = _STILL * self.units.cell

        def u(*x: NDArray[np.float64]) -> NDArray[np.float64]:
            away = np.maximum(self.away(*x), 0.0) / still
            return np.asarray(self._incoming(*x[1:])[0] * (1.0 - np.exp(-(away**2))))

        flow.start(1.0, (u, *(0.0,) * (self.axes - 1)))

    def diagnostics(self, flow: Flow) -> tuple[tuple[Step, ...], tuple[Integral, ...]]:
        """Return drag and lift coefficients."""
        body = flow.setup.bodies[0] if self.levels else self.solid()
        force = body_force(flow, body, self.middle)
        factor = 2.0 / (self.scaling.speed**2 * self.area)
        names = ("drag", "lift", "side_force")
        integrals = (
            Integral(
                f"{name}_coefficient",
                component,
                factor,
                description=f"{name.replace('_', ' ')} over density / 2, speed squared and area",
            )
            for name, component in zip(names, force.force, strict=False)
        )
        return force.updates, tuple(integrals)

    def settling(self, result: FlowResult) -> Settling | None:
        """Return the state of drag and lift; None if this run has done no step."""
        if not len(result.history):
            return None
        names = ("time", "drag_coefficient", "lift_coefficient")
        time, drag, lift = (result.series(name) for name in names)
        return settling(time / self._passing, drag, lift)

    @property
    def _passing(self) -> float:
        """D/U, in which the flow passes the body once [unit of the time]."""
        return self.scaling.length / self.scaling.speed * self.units.step

    def outcome(self, result: FlowResult) -> str:
        """Return what drag and lift have come to, unless nothing changes any more at all."""
        settling = self.settling(result)
        if result.is_steady or settling is None:
            return super().outcome(result)
        differing = f"by {100.0 * settling.difference:.2g} %"
        if settling.state is State.STEADY:
            return (
                f"steady: drag and lift vary {differing} of the drag in the last {WINDOW:g} D/U, "
                "so there is no Strouhal number"
            )
        if settling.state is State.PERIODIC:
            return (
                f"periodic: the last {settling.periods} periods of the lift, of which the "
                f"following is read off, differ {differing}"
            )
        most = f"at most {100.0 * TOLERANCE:g} %"
        found_and_expected = (
            f"the last {settling.periods} periods of the lift differ {differing}; expected at "
            f"least {PERIODS}, over at least {WINDOW:g} D/U, that differ by {most}"
            if settling.periods
            else f"drag and lift vary {differing} of the drag in the last {WINDOW:g} D/U; expected "
            f"{most}"
        )
        end = float(result.series("time")[-1]) / self._passing + settling.missing
        steps = ceil(settling.missing * self.scaling.length / self.scaling.speed)
        return (
            f"NOT settled: {found_and_expected}. Go on for at least {steps} lattice steps: "
            f"--max-convective-times {ceil(end)}"
        )

    def known(self) -> dict[str, tuple[float, str]]:
        """Return published values of this flow by the name of the quantity."""
        return {}

    def compare(self, result: FlowResult, values: Values) -> Sequence[Comparison]:
        """Return drag, lift and other numbers beside published ones, if the flow has settled."""
        settling = self.settling(result)
        if settling is None:
            return ()
        drag, lift = (result.series(f"{name}_coefficient") for name in ("drag", "lift"))
        numbers = {"drag coefficient": drag[-1], "lift coefficient": lift[-1]}
        if not self.geometry:
            numbers["pressure difference over rho U²"] = self._pressure_difference(values)
        if not result.is_steady and settling.state is State.UNSETTLED:
            return [Comparison(f"{name} at the end", float(v)) for name, v in numbers.items()]
        if not result.is_steady and settling.state is State.PERIODIC:
            drag, lift = drag[settling.samples], lift[settling.samples]
            numbers = {
                "greatest drag coefficient": drag.max(),
                "mean drag coefficient": drag.mean(),
                "greatest lift coefficient": lift.max(),
                "Strouhal number": 1.0 / settling.period,
            }
        references = self.known()
        return [
            Comparison(name, float(v), *references.get(name, ())) for name, v in numbers.items()
        ]

    def _pressure_difference(self, values: Values) -> float:
        """Return the pressure in front of the body less that behind it [density speed²]."""
        cell = self.units.cell / 2**self.levels
        middle = [m / cell for m in self.middle]
        radius = 0.5 * self.scaling.length * self.units.cell / cell
        unit = self.units.pressure * self.scaling.speed**2
        return pressure_difference(values["pressure"], middle, radius) / unit

    def picture(self, result: FlowResult, values: Values) -> FlowFigure:
        """Return the flow in the middle plane, and the coefficients over the time."""
        time = result.series("time")
        label = "$t$ [s]" if self.units.is_physical else "$t U / D$"
        skipped = len(time) // 20  # the flow begins with a blow
        panels = tuple(
            Plot(
                name,
                (label, symbol),
                Curve("this run", time[skipped:], result.series(f"{name}_coefficient")[skipped:]),
            )
            for name, symbol in (("drag", "$C_D$"), ("lift", "$C_L$"))
        )
        title = f"{self.name}, Re = {self.scaling.reynolds:g}"
        return FlowFigure(title, result.middle_plane(values), panels)


def pressure_difference(pressure: NDArray[Any], middle: Sequence[float], radius: float) -> float:
    """Return the pressure at the foremost point of a body along x less that at the hindmost.

    At both points it is that of a parabola through the three cells before the surface, each of
    them from a cubic across.

    Args:
        pressure: In the middle of cells, that of solid cells is not looked at (nx, ny[, nz]).
        middle: Of the body [cells from the low corner].
        radius: Of the body [cells].
    """
    line = pressure
    for axis in reversed(range(1, pressure.ndim)):
        first = floor(middle[axis] - 0.5) - _CELLS_BESIDE + 1
        line = _between(np.moveaxis(line, axis, 0), first, first + 2 * _CELLS_BESIDE, middle[axis])
    front, back = middle[0] - radius, middle[0] + radius
    before, behind = ceil(front - 0.5 - _ON_SURFACE), floor(back - 0.5 + _ON_SURFACE) + 1
    in_front = _between(line, max(0, before - _CELLS_BEFORE), before, front)
    return float(in_front - _between(line, behind, min(behind + _CELLS_BEFORE, len(line)), back))


def _between(values: NDArray[Any], first: int, end: int, at: float) -> Any:
    """Return what the polynomial through the values of cells along the first axis is at a place."""
    places = [n + 0.5 for n in range(first, end)]
    weights = [prod((at - q) / (p - q) for q in places if q != p) for p in places]
    return sum(w * line for w, line in zip(weights, values[first:end], strict=True))
