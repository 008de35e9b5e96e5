"""Boundary conditions as kernels: written in the language, as a user would."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from halocline.errors import GridError
from halocline.geometry import AXES
from halocline.language.expr import Binary, Const, Expr, Read, Scalar
from halocline.language.fields import layer, parse_side
from halocline.language.kernel import Kernel, Statement
from halocline.language.steps import Call, Parameter

if TYPE_CHECKING:
    from halocline.language.fields import Field


@dataclass(frozen=True)
class Dirichlet:
    """Prescribe the value at the side of the domain.

    At a location in the middle between two cells the layer gets the mirrored value, so that the
    mean of the two sides is the prescribed one (second order); a field located on the side itself
    gets the value there.

    Args:
        value: The value, or one for each component.
    """

    value: Any

    def calls(self, field: Field, side: str, depth: int) -> tuple[Call, ...]:
        """Return the kernels that fill 'depth' layers."""
        return _calls(field, side, depth, self.value, _dirichlet)


@dataclass(frozen=True)
class Neumann:
    """Prescribe the derivative along the outward normal [field unit / length unit].

    Args:
        gradient: The derivative, or one for each component.
    """

    gradient: Any = 0.0

    def calls(self, field: Field, side: str, depth: int) -> tuple[Call, ...]:
        """Return the kernels that fill 'depth' layers."""
        return _calls(field, side, depth, self.gradient, _neumann)


def boundary_calls(field: Field, side: str, depth: int) -> tuple[Call, ...]:
    """Return the kernels that fill 'depth' layers of a field beyond a side."""
    condition = field.boundaries[side]
    if isinstance(condition, Dirichlet | Neumann):
        return condition.calls(field, side, depth)
    if depth > 1:
        raise GridError(
            f"The kernel given as boundary of '{field.name}' on side '{side}' fills one layer, but "
            f"{depth} are read.",
            hint="Use hc.Dirichlet or hc.Neumann, or read no further than one cell.",
        )
    return (condition(field, on=side),)


def _calls(field: Field, side: str, depth: int, value: Any, rule: Any) -> tuple[Call, ...]:
    axis, sign = parse_side(field.grid, side)
    on_side = AXES[axis] in field.location.split("_")[0] and field.location != "center"
    values = tuple(value) if hasattr(value, "__len__") else (value,) * field.components
    if len(values) != field.components:
        raise GridError(
            f"The boundary of '{field.name}' on side '{side}' has {len(values)} values; expected "
            f"one or {field.components}."
        )
    first = 0 if on_side and sign < 0 else 1
    layers = range(first, depth + 1)
    return tuple(
        _call(field, side, n, depth, values, rule(sign, n, on_side=on_side)) for n in layers
    )


@dataclass(frozen=True)
class _Rule:
    """factor * value + weight * (the field 'distance' cells further in)."""

    factor: float
    weight: float
    distance: int


def _dirichlet(sign: int, n: int, *, on_side: bool) -> _Rule:
    if not on_side:
        return _Rule(2.0, -1.0, 2 * n - 1)
    beyond = n if sign < 0 else n - 1
    return _Rule(1.0, 0.0, 0) if beyond == 0 else _Rule(2.0, -1.0, 2 * beyond)


def _neumann(sign: int, n: int, *, on_side: bool) -> _Rule:
    if not on_side:
        return _Rule(2 * n - 1.0, 1.0, 2 * n - 1)
    beyond = n if sign < 0 else n - 1
    # On the side itself the one-sided difference to the first cell inside.
    return _Rule(1.0, 1.0, 1) if beyond == 0 else _Rule(2.0 * beyond, 1.0, 2 * beyond)


def _call(
    field: Field, side: str, n: int, depth: int, values: tuple[Any, ...], rule: _Rule
) -> Call:
    axis, sign = parse_side(field.grid, side)
    inward = tuple(-sign * rule.distance if a == axis else 0 for a in range(field.grid.dimensions))
    factor = rule.factor * (field.grid.spacing[axis] if rule.weight > 0 else 1.0)
    here = (0,) * field.grid.dimensions
    names = tuple(f"value_{q}" for q in range(field.components))
    statements = tuple(
        Statement(
            "field", q, _rule_value(Scalar(name), factor, Read("field", q, inward), rule), here
        )
        for q, name in enumerate(names)
    )
    return Call(
        Kernel(
            f"boundary_{side[0]}{'low' if sign < 0 else 'high'}_{n}",
            field.grid.dimensions,
            (field.type_as("field"),),
            names,
            statements,
        ),
        (field,),
        tuple(v if isinstance(v, Parameter) else float(v) for v in values),
        # Layer 0 is the first cell inside: that of a field located on the low side itself.
        layer(field.grid, side, n, depth),
        n > 0,
        f"boundary of '{field.name}' on side '{side}'",
    )


def _rule_value(value: Expr, factor: float, inside: Expr, rule: _Rule) -> Expr:
    scaled = value if factor == 1.0 else Binary("mul", Const(factor), value)
    if rule.weight == 0.0:
        return scaled
    return Binary("add" if rule.weight > 0 else "sub", scaled, inside)
