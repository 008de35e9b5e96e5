"""A linear system on one grid: what its operator is made of, relaxed and restricted.

Relaxation is Gauss-Seidel, one colour after the other, in place: as few colours as keep apart the
cells that read each other. Where two or four do not (or eight on three axes), it is a damped Jacobi
relaxation into a second field. Trottenberg, Oosterlee and Schueller, Multigrid (2001), section 2.1.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

from halocline.errors import KernelError
from halocline.frozen import Frozen
from halocline.geometry import AXES, added
from halocline.language.expressions import operators
from halocline.language.expressions.apart import Cells
from halocline.language.expressions.expr import (
    Binary,
    Const,
    Expr,
    Index,
    Read,
    Unary,
    rebuild,
    renamed,
    replaced,
    walk,
)
from halocline.language.expressions.expr import operands as operands_of
from halocline.language.expressions.functions import index, where
from halocline.language.expressions.kernel import Statement, reads
from halocline.language.library.linear import is_linear
from halocline.language.place import user_place
from halocline.language.steps.steps import Reduction, swap
from halocline.language.steps.trace import recorded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from halocline.geometry import Offset
    from halocline.language.expressions.parameters import Parameter
    from halocline.language.grids.fields import Field

Steps = tuple[Any, ...]
Colour = operators.Value

# What kernels call the solution, the right-hand side, and what is assigned.
_U, _F, _TARGET = "u", "f", "target"
# Of a Jacobi relaxation by the number of axes: the best for the Laplacian.
_DAMPING = {1: 2 / 3, 2: 4 / 5, 3: 6 / 7}
_FOLDED: Mapping[str, Callable[[float, float], float]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
}


class System(Frozen):
    """A u = f on one grid.

    Attributes:
        u: The solution.
        f: The right-hand side.
        fields: All that kernels read, by the names that they have in expressions.
        applied: A u in a cell.
        excess: What is subtracted from f in every cell, if anything.
    """

    u: Field
    f: Field
    fields: Mapping[str, Field]
    applied: Expr
    excess: Parameter | None = None

    @property
    def reach(self) -> tuple[int, ...]:
        """How far the operator reads the solution along each axis [cells]."""
        offsets = [read.offset for read in reads(self.applied) if read.field == _U]
        return tuple(max(map(abs, along)) for along in zip(*offsets, strict=True))

    @property
    def diagonal(self) -> Expr:
        """What the operator makes of a 1 in the cell alone."""
        return self.weight((0,) * self.u.dimensions)

    def weight(self, offset: Offset) -> Expr:
        """Return what the operator makes of a 1 in one of the cells that it reads alone."""
        alone: dict[Expr, Expr] = {
            read: Const(1.0 if read.offset == offset else 0.0)
            for read in reads(self.applied)
            if read.field == _U
        }
        return _folded(replaced(self.applied, alone))

    @property
    def residual(self) -> Expr:
        """The right-hand side less A u, in a cell."""
        return Binary("sub", self.right, self.applied)

    def relax(self) -> Steps:
        """Return steps that do one relaxation."""
        own, diagonal = self._read(_U), self.diagonal
        rest = operators.Value(_folded(replaced(self.applied, {own: Const(0.0)})))
        inverse = 1.0 / diagonal.value if isinstance(diagonal, Const) else None
        f = operators.Value(self.right)
        new = (f - rest) * inverse if inverse else (f - rest) / operators.Value(diagonal)
        colours = self._colours(new)
        if not colours:
            return self._jacobi(new)
        old = operators.Value(own)
        return tuple(self.assigning("relax", where(c, new, old), self.u) for c in colours)

    def _jacobi(self, new: operators.Value) -> Steps:
        next_u = self.u.grid.hidden_field(
            f"relaxed_{self.u.name}", dtype=self.u.dtype, axes=self.u.axes
        )
        weight = _DAMPING[len(self.u.axes)]
        value = (1.0 - weight) * operators.Value(self._read(_U)) + weight * new
        return (self.assigning("relax", value, next_u), swap(self.u, next_u))

    def _colours(self, new: operators.Value) -> list[Colour]:
        """Return the conditions of as few colours as can be relaxed in place; none if none can."""
        axes = [AXES[axis] for axis in self.u.space.axes]
        indices = [index(axis) for axis in axes]
        total = indices[0]
        for other in indices[1:]:
            total = total + other
        by_checkers = [(total & 1) == colour for colour in (0, 1)]
        by_parity = []
        for parity in product((0, 1), repeat=len(axes)):
            condition = (indices[0] & 1) == parity[0]
            for own_index, own_parity in zip(indices[1:], parity[1:], strict=True):
                condition = condition & ((own_index & 1) == own_parity)
            by_parity.append(condition)
        return next((c for c in (by_checkers, by_parity) if self._is_apart(c[0], new)), [])

    def _is_apart(self, colour: Colour, new: operators.Value) -> bool:
        here = (0,) * self.u.dimensions
        chosen = where(colour, new, operators.Value(self._read(_U)))
        statement = Statement(_U, 0, chosen.expression(), here)
        cells = Cells(self.u.space, None)
        used = [read.offset for read in reads(new.expression()) if read.field == _U]
        return all(cells.are_apart(statement, offset) for offset in used if any(offset))

    def restrict_residual(self, coarse: Field) -> Steps:
        """Return steps that give a field of a coarser grid the mean of f - A u."""
        residual = self.residual
        ratio = tuple(n // c for n, c in zip(self.u.grid.extent, coarse.grid.extent, strict=True))
        children = [o[::-1] for o in product(*map(range, ratio[::-1]))]
        residuals: list[Expr]
        first: Steps = ()
        fields: dict[str, Field] = dict(self.fields)
        if any(isinstance(node, Index) for node in walk(residual)):
            # Which cell it is counts in cells of the fine grid: it is computed there.
            kept = self.u.grid.hidden_field("residual", dtype=self.u.dtype, axes=self.u.axes)
            first = (self.assigning("residual", operators.Value(residual), kept),)
            fields, residuals = {"kept": kept}, [Read("kept", 0, child) for child in children]
        else:
            residuals = [self.seen(residual, child) for child in children]
        total = operators.Value(residuals[0])
        for expression in residuals[1:]:
            total = total + operators.Value(expression)
        mean = total * (1.0 / len(children))

        def body(target: Any, *_: Any) -> None:
            target[target.here] = mean

        named = {_TARGET: coarse, **fields}
        return (*first, recorded("restrict_residual", user_place(), named, body, {}))

    def greatest_residual(self) -> Reduction:
        """Return the greatest absolute value of f - A u."""
        residual = Unary("abs", self.residual)
        names = {name: field.name for name, field in self.fields.items()}
        value = operators.Value(renamed(residual, names, {}))
        return Reduction("max", value, f"residual of {self.u.name}")

    def assigning(self, name: str, value: operators.Value, into: Field) -> Any:
        """Return the kernel that assigns an expression of the fields."""
        named = dict(self.fields)
        own_name = next((own for own, field in named.items() if field is into), _TARGET)
        if own_name == _TARGET:
            named = {_TARGET: into, **named}

        def body(*symbols: Any) -> None:
            target = dict(zip(named, symbols, strict=True))[own_name]
            target[target.here] = value

        return recorded(name, user_place(), named, body, {})

    @property
    def right(self) -> Expr:
        """The right-hand side in the cell."""
        f = self._read(_F)
        return f if self.excess is None else Binary("sub", f, self.excess.expression())

    def read(self, offset: Offset) -> Read:
        """Return the solution in a cell beside."""
        return Read(_U, 0, offset)

    def _read(self, name: str) -> Read:
        return Read(name, 0, (0,) * self.u.dimensions)

    def seen(self, root: Expr, child: Offset) -> Expr:
        """Return an expression of fine fields as seen from the first child of a coarse cell."""
        there: dict[Expr, Expr] = {}
        for read in reads(root):
            lacks = self.fields[read.field].space.lacks
            way = tuple(0 if lacking else o for lacking, o in zip(lacks, child, strict=True))
            there[read] = Read(read.field, read.component, added(read.offset, way))
        return replaced(root, there)


def system(
    operator: Any,
    u: Field,
    f: Field,
    coefficients: Iterable[Field],
    excess: Parameter | None = None,
) -> System:
    """Return the system that an operator makes on the grid of its fields.

    Args:
        operator: See 'Multigrid'.
        u: The solution.
        f: The right-hand side.
        coefficients: What else the operator reads.
        excess: See 'System'.

    Raises:
        KernelError: The operator is not linear in u, or does not use its value in the cell.
    """
    named = {_U: u, _F: f}
    named |= {f"coefficient_{number}": field for number, field in enumerate(coefficients)}

    def apply(u: Any, f: Any, *coefficients: Any) -> None:
        f[f.here] = operator(u, *coefficients)  # is only recorded

    call = recorded("apply", user_place(), named, apply, {})
    fields = dict(zip((spec.name for spec in call.kernel.fields), call.fields, strict=True))
    (statement,) = call.kernel.statements
    if not any(read.field == _U for read in reads(statement.value)):
        raise KernelError(
            f"The operator does not read '{u.name}'; expected a linear expression of it.",
            place=user_place(),
        )
    if not is_linear(statement.value, _U):
        raise KernelError(
            f"The operator is not linear in '{u.name}'; expected a sum of its values, each times "
            "what does not depend on it.",
            hint="Write what is added into the right-hand side, and factors as coefficients.",
            place=user_place(),
        )
    made = System(u, f, fields, statement.value, excess)
    if isinstance(made.diagonal, Const) and made.diagonal.value == 0:
        raise KernelError(
            f"The operator does not use the value of '{u.name}' in the cell itself: there is "
            "nothing to relax.",
            place=user_place(),
        )
    return made


def _folded(root: Expr) -> Expr:
    """Return an expression with its numbers computed."""
    folded_of: dict[Expr, Expr] = {}
    for node in walk(root):
        folded = rebuild(node, tuple(folded_of[operand] for operand in operands_of(node)))
        match folded:
            case Unary("neg", Const(value)):
                folded = Const(-value)
            case Binary(op, Const(a), Const(b)) if op in _FOLDED and (op != "div" or b):
                folded = Const(_FOLDED[op](a, b))
            case Binary("mul", Const(0.0 | 0), _) | Binary("mul" | "div", _, Const(0.0 | 0)):
                folded = Const(0.0)
            case Binary("div", Const(0.0 | 0), _):
                folded = Const(0.0)
            case Binary("add", Const(0.0 | 0), other) | Binary(
                "add" | "sub", other, Const(0.0 | 0)
            ):
                folded = other
            case Binary("sub", Const(0.0 | 0), other):
                folded = Unary("neg", other)
            case _:
                pass
        folded_of[node] = folded
    return folded_of[root]
