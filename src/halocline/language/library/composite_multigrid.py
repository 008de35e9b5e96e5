"""Multigrid on the levels of a forest: each level is relaxed, and the coarser one below all of it.

A level holds its leaves and, under finer levels, what these make of it. So its equation is that of
the composite grid where it has leaves, and elsewhere that whose solution is the mean of the finer
one (full approximation scheme: Brandt, Math. Comput. 31 (1977) 333, 'multi-level adaptive
technique'; Trottenberg, Oosterlee and Schueller, Multigrid (2001), chapter 9). Beyond a level's
border it reads ghost cells, interpolated linearly; what flows there is matched (see
'flux_matching.py'). Levels coarser than all leaves follow in the same way.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from halocline.language.expressions.functions import maximum
from halocline.language.expressions.operators import Value
from halocline.language.library.coarse_sides import homogeneous, on_whole_side
from halocline.language.library.coarsest import relaxed_out
from halocline.language.library.flux_matching import (
    check_reads_across_sides,
    finer_flux,
    flux_field,
    matched,
)
from halocline.language.library.relaxation import System, system
from halocline.language.place import user_place
from halocline.language.spaces.role import Role
from halocline.language.steps.steps import Call, Reduction
from halocline.language.steps.trace import recorded
from halocline.language.steps.transfer import prolong, restrict
from halocline.language.steps.tree import mapped

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from halocline.language.expressions.parameters import Parameter
    from halocline.language.grids.composite import CompositeField
    from halocline.language.grids.fields import Field
    from halocline.language.grids.forest import Forest

Steps = tuple[Any, ...]

_TWO = 2


class Composite(NamedTuple):
    """What solves a system on a forest; see 'Multigrid'."""

    cycle: Steps
    update: Steps
    residual: Parameter


def composite(
    operator: Any,
    u: CompositeField,
    f: CompositeField,
    coefficients: Sequence[CompositeField],
    kind: str,
    smoothing: tuple[int, int],
) -> Composite:
    """Return the steps that solve A u = f on the leaves of a forest; the arguments of 'Multigrid'.

    Raises:
        GridError: A side has conditions that coarse levels cannot have.
        KernelError: The operator is none whose fluxes are known.
    """
    made = _Cycles(operator, u, f, coefficients, smoothing)
    return Composite(
        (*made.cycle(u.forest.levels - 1, kind), *made.measured()),
        made.update(),
        made.greatest_residual(),
    )


@dataclass(frozen=True, slots=True)
class _Level:
    """The system on a level, and what a cycle keeps there.

    Attributes:
        system: The system, with the right-hand side of this level.
        residual: That of the right-hand side.
        change: The solution before the correction of this level, then what has changed.
        coefficients: Those of the operator.
    """

    system: System
    residual: Field
    change: Field
    coefficients: tuple[Field, ...]

    @property
    def u(self) -> Field:
        return self.system.u


class _Cycles:
    """The levels, and what is done on them."""

    def __init__(
        self,
        operator: Any,
        u: CompositeField,
        f: CompositeField,
        coefficients: Sequence[CompositeField],
        smoothing: tuple[int, int],
    ) -> None:
        self.forest, self.f, self.smoothing = u.forest, f, smoothing
        self.lowest = _lowest(u.forest)
        self.levels = {
            level: _level(level, operator, u, f, coefficients)
            for level in range(self.lowest, u.forest.levels)
        }
        check_reads_across_sides(self.levels[0].system)

    def cycle(self, level: int, kind: str) -> Steps:
        """Return a cycle that begins at a level."""
        own = self.levels[level]
        if level == self.lowest:
            return _on("leaf or covered", level, relaxed_out(own.system, self.levels[0].u))
        relax = _on("leaf or covered", level, own.system.relax())
        before, after = self.smoothing
        correct = self.cycle(level - 1, kind)
        if kind == "F":
            correct = (*correct, *self.cycle(level - 1, "V"))
        coarse = self.levels[level - 1]
        return (
            *self._covered(level - 1),
            *self._ghosts(level),
            *(relax * before),
            *self._covered(level - 1),
            *self._ghosts(level),
            *self._coarse_system(level),
            *_on("leaf or covered", level - 1, [_copied(coarse.u, coarse.change)]),
            *correct,
            *_on("leaf or covered", level - 1, [_changed(coarse.u, coarse.change)]),
            *_on("leaf or covered", level, [prolong(coarse.change, own.u, order=2, add=True)]),
            *self._ghosts(level),
            *(relax * after),
        )

    def measured(self) -> Steps:
        """Return the steps that compute the residual on all leaves."""
        leaves = range(self.forest.levels)
        couple = [self._covered(level) for level in reversed(leaves[:-1])]
        couple += [self._ghosts(level) for level in leaves[1:]]
        found = [(*self._matched(n), *_on("leaf", n, [self._residual(n)])) for n in leaves]
        return tuple(step for steps in (*couple, *found) for step in steps)

    def greatest_residual(self) -> Parameter:
        """Return the greatest absolute value of the residual on all leaves."""
        found: list[Any] = []
        for level in range(self.forest.levels):
            residual = self.levels[level].residual
            residual.set(np.inf)  # until it has been computed
            name = f"residual of {self.levels[level].u.name}"
            found += [Reduction("max", residual, name), -Reduction("min", residual, f"- {name}")]
        result: Parameter = reduce(maximum, found)
        return result

    def update(self) -> Steps:
        """Return the steps that bring the coefficients to coarser levels, and beyond borders."""
        result: list[Any] = []
        for level in range(self.forest.levels - 1, self.lowest, -1):
            pairs = zip(
                self.levels[level].coefficients, self.levels[level - 1].coefficients, strict=True
            )
            result += _on("covered", level - 1, [restrict(*pair) for pair in pairs])
        for level in range(1, self.forest.levels):
            pairs = zip(
                self.levels[level - 1].coefficients, self.levels[level].coefficients, strict=True
            )
            result += _on("ghost", level, [prolong(*pair, order=2) for pair in pairs])
        return tuple(result)

    def _covered(self, level: int) -> Steps:
        """Return what gives cells under the finer level what that makes of them."""
        fine, coarse = self.levels[level + 1].u, self.levels[level].u
        return _on("covered", level, [restrict(fine, coarse)])

    def _ghosts(self, level: int) -> Steps:
        """Return what gives cells beyond a level's border what the coarser one makes of them."""
        if level <= 0:
            return ()
        return _on("ghost", level, [prolong(self.levels[level - 1].u, self.levels[level].u, 2)])

    def _coarse_system(self, level: int) -> Steps:
        """Return what makes the next coarser level's right-hand side."""
        own, coarse = self.levels[level], self.levels[level - 1]
        right = coarse.system.f
        applied = Value(coarse.system.right) + Value(coarse.system.applied)
        return (
            *_on("leaf or covered", level, [self._residual(level)]),
            *_on("covered", level - 1, [restrict(own.residual, right)]),
            *_on("covered", level - 1, [coarse.system.assigning("add_applied", applied, right)]),
            *self._matched(level - 1),
        )

    def _matched(self, level: int) -> Steps:
        """Return what gives leaves their right-hand side, with what the finer level says."""
        if not 0 <= level < self.forest.levels - 1:
            return ()
        own, fine = self.levels[level], self.levels[level + 1]
        flux = flux_field(own.u)
        f = self.f.level(level)
        return (
            *_on("covered", level, [finer_flux(fine.system, flux)]),
            *_on("leaf", level, [matched(own.system, f, flux, self.forest)]),
        )

    def _residual(self, level: int) -> Any:
        own = self.levels[level]
        return own.system.assigning("residual", Value(own.system.residual), own.residual)


def _on(kind: Any, level: int, steps: Iterable[Any]) -> Steps:
    """Return steps whose kernels run on the blocks of a role."""
    role = Role(kind, level)
    return mapped(steps, lambda s: [replace(s, role=role) if isinstance(s, Call) else s])


def _level(
    level: int,
    operator: Any,
    u: CompositeField,
    f: CompositeField,
    coefficients: Sequence[CompositeField],
) -> _Level:
    """Return a level, with fields of its own where there are none of the user's."""
    grid = u.forest.level(level)
    given = u.level(0)

    def like(field: Field, name: str) -> Field:
        return grid.hidden_field(f"multigrid_{name}", dtype=field.dtype, axes=field.axes)

    solution = u.level(level) if level >= 0 else like(given, "solution")
    factors = tuple(
        one.level(level) if level >= 0 else like(one.level(0), one.name) for one in coefficients
    )
    known = zip((given, *(one.level(0) for one in coefficients)), (solution, *factors), strict=True)
    for first, field in known if level < 0 else ():
        for side in first.boundaries:
            field.boundary(side, on_whole_side(first, side))
    change, residual = like(given, "change"), like(given, "residual")
    for side in given.boundaries:
        change.boundary(side, homogeneous(given, side))
    is_finest = level == u.forest.levels - 1
    right = f.level(level) if is_finest else like(given, "right")
    return _Level(system(operator, solution, right, factors), residual, change, factors)


def _lowest(forest: Forest) -> int:
    """Return the coarsest level, below all leaves: as far as the domain can be halved."""
    level, extent = 0, forest.grid.extent
    while all(n % _TWO == 0 and n > _TWO for n in extent):
        level, extent = level - 1, tuple(n // _TWO for n in extent)
    return level


def _copied(source: Field, target: Field) -> Any:
    def copy(source: Any, target: Any) -> None:
        target[target.here] = source[source.here]

    fields = {"source": source, "target": target}
    return recorded("copy", user_place(), fields, copy, {})


def _changed(now: Field, change: Field) -> Any:
    def difference(now: Any, change: Any) -> None:
        change[change.here] = now[now.here] - change[change.here]

    return recorded("difference", user_place(), {"now": now, "change": change}, difference, {})
