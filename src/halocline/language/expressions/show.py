"""A kernel as readable text, with shared expressions named."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from halocline.geometry import AXES, added
from halocline.language.expressions.expr import (
    Binary,
    Cast,
    Compare,
    Const,
    Derivative,
    Expr,
    Index,
    Metric,
    Number,
    Read,
    Scalar,
    Unary,
    Where,
    operands,
    walk,
)
from halocline.language.expressions.operations import OPERATIONS

if TYPE_CHECKING:
    from halocline.language.expressions.kernel import FieldType, Kernel


def show(kernel: Kernel) -> str:
    """Return the kernel as text, one line for each shared value and each assignment."""
    components = {field.name: field.components for field in kernel.fields}
    fields = ", ".join(map(_field, kernel.fields))
    scalars = f"; {', '.join(kernel.scalars)}" if kernel.scalars else ""
    lines = [f"kernel {kernel.name}({fields}{scalars}){_sweep(kernel)}"]
    nodes = walk(*(statement.value for statement in kernel.statements))
    uses = Counter(below for node in nodes for below in operands(node))
    text: dict[Expr, str] = {}
    for node in nodes:
        below = [text[operand] for operand in operands(node)]
        text[node] = _text(node, below, components)
        if uses[node] > 1 and below:
            name = f"t{len(lines)}"
            lines.append(f"  {name} = {text[node]}")
            text[node] = name
    for s in kernel.statements:
        target = _access(s.field, s.component, s.offset, components)
        lines.append(f"  {target} = {text[s.value]}")
    return "\n".join(lines)


def show_formula(root: Expr) -> str:
    """Return an expression as text."""
    text: dict[Expr, str] = {}
    for node in walk(root):
        text[node] = _text(node, [text[operand] for operand in operands(node)], {})
    whole = text[root]
    return whole[1:-1] if whole.startswith("(") else whole


def _field(field: FieldType) -> str:
    text = f"{field.name}: {field.dtype}[{field.components}]"
    ratio = f" ratio {field.ratio}" if any(r != 1 for r in field.ratio) else ""
    return text + ratio


def _sweep(kernel: Kernel) -> str:
    if kernel.sweep is None:
        return ""
    axis, sign = kernel.sweep
    return f" sweeps {'up' if sign > 0 else 'down'} {AXES[axis]}"


def _text(node: Expr, below: list[str], components: dict[str, int]) -> str:
    match node:
        case Unary(op, _) if sign := OPERATIONS[op].sign:
            return f"{sign}{below[0]}"
        case Binary(op, _, _) | Compare(op, _, _) if sign := OPERATIONS[op].sign:
            return f"({below[0]} {sign} {below[1]})"
        case Unary(op, _) | Binary(op, _, _) | Cast(op, _):
            return f"{op}({', '.join(below)})"
        case Where(_, _, _):
            return f"where({', '.join(below)})"
        case Derivative(_, terms):
            parts = (f"d({below[0]}, {AXES[axis]!r}, order={order})" for axis, order in terms)
            return f"({' + '.join(parts)})"
        case _:
            return _leaf(node, components)


def _leaf(node: Expr, components: dict[str, int]) -> str:
    match node:
        case Const(value):
            return repr(value)
        case Scalar(name=name) | Number(name=name):
            return name
        case Index(axis, offset):
            return f"index_{AXES[axis]}" + (f"{offset:+d}" if offset else "")
        case Metric(kind, axis):
            return f"{kind}({AXES[axis]!r})"
        case Read(field, component, offset, shift=shift):
            seen = added(offset, shift) if shift else offset
            return _access(field, component, seen, components)
        case _:
            raise AssertionError(node)


def _access(field: str, component: int, offset: tuple[int, ...], components: dict[str, int]) -> str:
    which = f"[{component}]" if component or components.get(field, 1) > 1 else ""
    return f"{field}{which}[{', '.join(map(str, offset))}]"
