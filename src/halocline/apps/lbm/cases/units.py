"""Units: what a cell, a step and the density at rest are outside of the lattice.

A flow is given either by a Reynolds number, and then told in units of its length, its speed and
its density, or by physical quantities, and then told in SI units.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from types import MappingProxyType
from typing import Annotated, Any, ClassVar

from halocline.apps.case import Case
from halocline.apps.lbm.cases.scaling import Scaling
from halocline.apps.lbm.validation.arguments import listed
from halocline.errors import CaseError
from halocline.frozen import Frozen
from halocline.language.numbers import Range

Positive = Annotated[float | None, Range(above=0.0)]

# How far a length may be from a whole number of cells.
_WHOLE = 1e-6


class Units(Frozen):
    """The units of the lattice in SI units or in those of the flow.

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
class UnitParameters(Case):
    """How large, fast and viscous a flow is, and how finely it is computed.

    Given are 'reynolds', or all three of 'length', 'velocity' and 'viscosity'.

    Attributes:
        cells: Over the flow's length, or over 'lengths' of it.
        cell_size: Length of a cell instead of 'cells' [m].
        reynolds: Speed times length over viscosity.
        length: The flow's length instead of 'reynolds' [m].
        velocity: The flow's speed, with 'length' [m/s].
        viscosity: Kinematic viscosity, with 'length' [m²/s].
        density: At rest [kg/m³].
        lattice_speed: The flow's speed [cells / step]; the errors of compressibility go with its
            square, the number of steps with its inverse.
        mach: The same over the speed of sound, 1/sqrt(3), instead of 'lattice_speed'.
        time_step: Length of a lattice step instead of 'lattice_speed' [s].
    """

    cells: Annotated[int | None, Range(least=4)] = None
    cell_size: Positive = None
    reynolds: Positive = None
    length: Positive = None
    velocity: Positive = None
    viscosity: Positive = None
    density: Annotated[float, Range(above=0.0)] = 1.0
    lattice_speed: Positive = None
    mach: Positive = None
    time_step: Positive = None

    usual: ClassVar[Mapping[str, Any]] = MappingProxyType(
        {"cells": 32, "reynolds": 10.0, "lattice_speed": 0.05}
    )
    # Over how many of the flow's lengths 'cells' go.
    lengths: ClassVar[float] = 1.0

    @property
    def physical(self) -> tuple[float, float, float] | None:
        """Length, velocity and viscosity, if they are given."""
        if self.length is None or self.velocity is None or self.viscosity is None:
            return None
        return self.length, self.velocity, self.viscosity

    @property
    def scaling(self) -> Scaling:
        """The flow in lattice units; call 'check_units' first."""
        cells: int = self.cells or self.usual["cells"]
        reynolds: float = self.reynolds or self.usual["reynolds"]
        speed: float = self.lattice_speed or self.usual["lattice_speed"]
        if self.mach:
            speed = self.mach / sqrt(3.0)
        if self.physical:
            length, velocity, viscosity = self.physical
            reynolds = velocity * length / viscosity
            if self.cell_size:
                cells = round(self.lengths * length / self.cell_size)
            if self.time_step:
                speed = velocity * self.time_step * cells / (self.lengths * length)
        return Scaling(cells, speed, reynolds, lengths=self.lengths)

    @property
    def units(self) -> Units:
        """The units of the lattice."""
        scaling = self.scaling
        length, velocity, _ = self.physical or (1.0, 1.0, 1.0)
        cell = length / scaling.length
        is_physical = self.physical is not None
        return Units(cell, cell * scaling.speed / velocity, self.density, is_physical)

    def check_units(self) -> None:
        """Raise a CaseError where too much is given, too little, or what does not fit."""
        self._check_physical()
        for names in (("cells", "cell_size"), ("lattice_speed", "mach", "time_step")):
            given = self._given(names)
            if len(given) > 1:
                raise CaseError(
                    f"{_quoted(given)} were given, each of which says the same.",
                    hint="Give one of them.",
                )
        if self.cell_size and self.length:
            cells = self.lengths * self.length / self.cell_size
            if round(cells) < 1 or abs(cells - round(cells)) > _WHOLE * cells:
                raise CaseError(
                    f"'cell_size' {self.cell_size:g} m goes {cells:g} times into "
                    f"{self.lengths * self.length:g} m; expected a whole number of times.",
                    hint="Give 'cells' instead.",
                )

    def _check_physical(self) -> None:
        names = ("length", "velocity", "viscosity")
        given = self._given(names)
        missing = [name for name in names if name not in given]
        if given and missing:
            raise CaseError(
                f"{_quoted(given)} {'was' if len(given) == 1 else 'were'} given without "
                f"{_quoted(missing)}.",
                hint="Give all three in SI units, or none and a Reynolds number.",
            )
        if given and self.reynolds:
            raise CaseError(
                f"'reynolds' was given beside {_quoted(given)}, from which it follows.",
                hint="Give either.",
            )
        for name in self._given(("cell_size", "time_step")):
            if not given:
                raise CaseError(
                    f"'{name}' was given without {_quoted(names)}.",
                    hint="It has a unit: give these three, too.",
                )

    def _given(self, names: Sequence[str]) -> list[str]:
        return [name for name in names if getattr(self, name) is not None]

    def unit_table(self) -> str:
        """Return what things are on the lattice and outside of it, a line each."""
        scaling, units = self.scaling, self.units
        names = ("m", "s", "m/s", "m²/s", "kg/m³", "kg", "Pa")
        if self.physical is None:
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


def _quoted(names: Sequence[str]) -> str:
    return listed([f"'{name}'" for name in names])
