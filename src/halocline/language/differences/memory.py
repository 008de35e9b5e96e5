"""Memory of derivatives in absorbing layers: fields of their own, kept as the user's are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from halocline.geometry import AXES
from halocline.language.expressions.expr import Binary, Derivative, Expr, Read
from halocline.language.expressions.kernel import Statement
from halocline.language.grids.sides import Mirror
from halocline.language.spaces.location import Location

if TYPE_CHECKING:
    from halocline.language.grids.fields import Field
    from halocline.language.grids.grid import Grid


class _User(Protocol):
    """The statement with the derivative."""

    @property
    def before(self) -> list[Statement]:
        """Statements that go before it."""
        ...

    @property
    def label(self) -> str:
        """What tells it from other statements."""
        ...

    @property
    def target(self) -> Field:
        """The field to which is assigned."""
        ...

    @property
    def grid(self) -> Grid:
        """Of the cells for which the kernel is written."""
        ...

    def dtype(self) -> str:
        """Return the type of numbers that do not widen what is computed with them."""
        ...

    def add(self, hidden: Field) -> str:
        """Return the kernel's name of a field of ours."""
        ...


def with_memory(user: _User, node: Derivative, value: Expr, place: tuple[int, ...]) -> Expr:
    """Return a derivative in absorbing layers, and let the statement update its memory before.

    Args:
        user: The statement.
        node: The derivative, with its layers.
        value: The derivative as differences.
        place: 1 along each axis where it is wanted on faces.
    """
    ((axis, _),) = node.terms
    profile = node.layers.profile(axis, is_on_faces=bool(place[axis]), dtype=user.dtype())
    coefficients, here = user.add(profile), (0,) * len(place)
    memory = user.add(_memory(user, f"d{AXES[axis]}_{len(user.before)}", place))
    kept = Binary("mul", Read(coefficients, 0, here), Read(memory, 0, here))
    new = Binary("add", kept, Binary("mul", Read(coefficients, 1, here), value))
    user.before.append(Statement(memory, 0, new, here))
    return Binary("add", value, Read(memory, 0, here, 1))


def _memory(user: _User, which: str, place: tuple[int, ...]) -> Field:
    """Return the field with the memory of one of a statement's derivatives.

    A kernel called again with the same fields goes on with the same memory.
    """
    name = f"memory_{user.label}_{which}"
    fields = user.grid.fields
    if name not in fields:
        made = user.grid.field(
            name,
            dtype=user.dtype(),
            axes=user.target.axes,
            location=Location.on_faces(axis for axis, is_face in enumerate(place) if is_face),
            description="memory of absorbing layers",
        )
        for axis in made.space.axes:
            if made.space.closing[axis]:
                # What is prescribed on a side has none.
                made.boundary(f"{AXES[axis]}-", Mirror(0.0))
                made.boundary(f"{AXES[axis]}+", Mirror(0.0))
    return fields[name]
