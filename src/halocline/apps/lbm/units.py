"""Units: what a cell, a step and the density at rest are outside of the lattice.

A flow is given either by a Reynolds number, and then told in units of its length, its speed and
its density, or by physical quantities, and then told in SI units.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from math import sqrt
from typing import ClassVar

from halocline.apps.case import absent
from halocline.apps.lbm.model import Scaling
from halocline.errors import CaseError

# How far a length may be from a whole number of cells.
_WHOLE = 1e-6


@dataclass(frozen=True, slots=True)
class Units:
    """What is 1 on the lattice, in SI units or in those of the flow.

    Attributes:
        cell: Length of a cell [m, or the flow's length].
        step: Length of a lattice step [s, or the flow's length over its speed].
        density: Density at rest [kg/m³, or itself].
        is_physical: Whether these are SI units.

    Source: Krüger et al., The Lattice Boltzmann Method (Springer 2017), chapter 7.
    """

    cell: float
    step: float
    density: float
    is_physical: bool

    @property
    def velocity(self) -> float:
        """One cell a step."""
        return self.cell / self.step

    @property
    def viscosity(self) -> float:
        """One cell squared a step."""
        return self.cell * self.velocity

    @property
    def pressure(self) -> float:
        """Density times velocity squared."""
        return self.density * self.velocity**2

    @property
    def mass(self) -> float:
        """What a cell holds at rest."""
        return self.density * self.cell**3

    @property
    def time_unit(self) -> str:
        """The unit of time in words."""
        return "s" if self.is_physical else "L/U"

    def named(self, unit: str) -> str:
        """Return a unit as CF conventions write it: 'unit', or '1' if none is physical."""
        return unit if self.is_physical else "1"


@dataclass(frozen=True)
class UnitParameters:
    """How large, fast and viscous a flow is, and how finely it is computed.

    Numbers that are 0 are not given: at least 'reynolds', or 'length', 'velocity' and 'viscosity'.

    Attributes:
        cells: Over the flow's length, or over 'spans' of it.
        cell_size: Length of a cell instead of 'cells' [m].
        reynolds: Speed times length over viscosity.
        length: The flow's length [m].
        velocity: The flow's speed [m/s].
        viscosity: Kinematic viscosity [m²/s].
        density: At rest [kg/m³].
        lattice_speed: The flow's speed [cells / step]; the errors of compressibility go with its
            square, the number of steps with its inverse.
        mach: The same over the speed of sound, 1/sqrt(3), instead of 'lattice_speed'.
        time_step: Length of a lattice step instead of 'lattice_speed' [s].
    """

    cells: int = absent(0)
    cell_size: float = absent(0.0)
    reynolds: float = absent(0.0)
    length: float = absent(0.0)
    velocity: float = absent(0.0)
    viscosity: float = absent(0.0)
    density: float = 1.0
    lattice_speed: float = absent(0.0)
    mach: float = absent(0.0)
    time_step: float = absent(0.0)

    # What is taken for 'cells', 'reynolds' and 'lattice_speed' where nothing is given.
    usual: ClassVar[tuple[int, float, float]] = (32, 10.0, 0.05)
    # Over how many of the flow's lengths 'cells' go.
    spans: ClassVar[float] = 1.0

    @property
    def is_physical(self) -> bool:
        """Whether physical quantities are given."""
        return any((self.length, self.velocity, self.viscosity))

    @property
    def scaling(self) -> Scaling:
        """The flow in lattice units; call 'check_units' first."""
        cells, reynolds, speed = self.usual
        if self.is_physical:
            reynolds = self.velocity * self.length / self.viscosity
        if self.cell_size:
            cells = round(self.spans * self.length / self.cell_size)
        else:
            cells = self.cells or cells
        if self.time_step:
            speed = self.velocity * self.time_step * cells / (self.spans * self.length)
        else:
            speed = self.lattice_speed or self.mach / sqrt(3.0) or speed
        return Scaling(cells, speed, self.reynolds or reynolds, spans=self.spans)

    @property
    def units(self) -> Units:
        """What is 1 on the lattice."""
        scaling = self.scaling
        length, velocity = (self.length, self.velocity) if self.is_physical else (1.0, 1.0)
        cell = length / scaling.length
        return Units(cell, cell * scaling.speed / velocity, self.density, self.is_physical)

    def check_units(self) -> None:
        """Raise a CaseError where too much is given, too little, or what cannot be."""
        for field in fields(UnitParameters):
            value = getattr(self, field.name)
            if not 0.0 <= value < float("inf"):
                raise CaseError(f"'{field.name}' was given {value:g}; expected a number above 0.")
        if not self.density:
            raise CaseError("'density' was given 0; expected a number above 0.")
        self._check_physical()
        for names in (("cells", "cell_size"), ("lattice_speed", "mach", "time_step")):
            given = [name for name in names if getattr(self, name)]
            if len(given) > 1:
                raise CaseError(
                    f"{_listed(given)} were given, each of which says the same.",
                    hint="Give one of them.",
                )
        if self.cell_size:
            cells = self.spans * self.length / self.cell_size
            if round(cells) < 1 or abs(cells - round(cells)) > _WHOLE * cells:
                raise CaseError(
                    f"'cell_size' {self.cell_size:g} m goes {cells:g} times into "
                    f"{self.spans * self.length:g} m; expected a whole number of times.",
                    hint="Give 'cells' instead.",
                )

    def _check_physical(self) -> None:
        names = ("length", "velocity", "viscosity")
        given = [name for name in names if getattr(self, name)]
        missing = [name for name in names if name not in given]
        if given and missing:
            raise CaseError(
                f"{_listed(given)} {'was' if len(given) == 1 else 'were'} given without "
                f"{_listed(missing)}.",
                hint="Give all three in SI units, or none and a Reynolds number.",
            )
        if given and self.reynolds:
            raise CaseError(
                f"'reynolds' was given beside {_listed(given)}, from which it follows.",
                hint="Give either.",
            )
        for name in ("cell_size", "time_step"):
            if getattr(self, name) and not given:
                raise CaseError(
                    f"'{name}' was given without {_listed(names)}.",
                    hint="It has a unit: give these three, too.",
                )

    def unit_table(self) -> str:
        """Return what things are on the lattice and outside of it, a line each."""
        scaling, units = self.scaling, self.units
        names = ("m", "s", "m/s", "m²/s", "kg/m³", "kg", "Pa")
        if not self.is_physical:
            names = ("L", "L/U", "U", "U L", "rho", "rho L³", "rho U²")
        m, s, velocity, viscosity, density, mass, pressure = names
        rows = (
            ("cell", 1.0, units.cell, m),
            ("lattice step", 1.0, units.step, s),
            ("density at rest", 1.0, units.density, density),
            ("mass of a cell", 1.0, units.mass, mass),
            ("length", scaling.length, scaling.length * units.cell, m),
            ("speed", scaling.speed, scaling.speed * units.velocity, velocity),
            ("viscosity", scaling.viscosity, scaling.viscosity * units.viscosity, viscosity),
            ("pressure", 1.0, units.pressure, pressure),
        )
        lines = [f"{'':<16}  {'lattice':>12}  {'flow':>12}"]
        lines += [f"{name:<16}  {a:>12.6g}  {b:>12.6g} {unit}" for name, a, b, unit in rows]
        lines.append(
            f"Reynolds number {scaling.reynolds:.6g} ({scaling.cell_reynolds:.4g} a cell), Mach "
            f"number {scaling.mach:.4g}, relaxation time {scaling.relaxation_time:.6g} steps"
        )
        return "\n".join(lines)


def _listed(names: Sequence[str]) -> str:
    """Return names in quotes with commas and an 'and'."""
    quoted = [f"'{name}'" for name in names]
    return " and ".join([", ".join(quoted[:-1]), quoted[-1]] if len(quoted) > 1 else quoted)
