"""Turn a fused kernel into a loop nest: typed values, the names of some, and stores.

Equal values of all statements are computed once. A read of what an earlier statement of the kernel
assigned becomes that value, so that every load that is left sees memory as the kernel found it; a
cell loads what it overwrites before it stores anything.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, assert_never

from msgspec.structs import replace

from halocline.codegen.nest import (
    IndexValue,
    Let,
    Literal,
    Load,
    Nest,
    Operation,
    ScalarValue,
    Store,
    uniform,
)
from halocline.codegen.values import StatementValues, Table, stored

if TYPE_CHECKING:
    from collections.abc import Sequence

    from halocline.codegen.nest import Value
    from halocline.geometry import Offset
    from halocline.language.expressions.kernel import Kernel

_LONGEST_INLINE = 9  # operations in one line before a part gets a name of its own


@lru_cache(maxsize=256)  # of a new kernel it is asked for twice: alone, and with all new ones
def lower(kernel: Kernel) -> Nest:
    """Return the loop nest of a fused kernel."""
    table = Table()
    _check_axes(kernel)
    # Where each component is assigned and what, in order.
    assigned: dict[tuple[str, int], list[tuple[Offset, int]]] = {}
    # Of several assignments to one number only the last reaches memory.
    stores: dict[tuple[str, int, Offset], tuple[Store, int]] = {}
    for s in kernel.statements:
        value = StatementValues(kernel, s, table, assigned).number_of(s.value)
        value = table.cast(value, stored(kernel.field(s.field).dtype))
        assigned.setdefault((s.field, s.component), []).append((s.offset, value))
        key = (s.field, s.component, s.offset)
        stores.pop(key, None)
        stores[key] = (Store(s.field, s.component, value, s.offset), len(table.values))
    return _nest(kernel, table.values, list(stores.values()))


def _check_axes(kernel: Kernel) -> None:
    """Refuse what the cells along an axis would assign in turn without an order."""
    swept = kernel.sweep[0] if kernel.sweep else None
    for axis in range(kernel.dimensions):
        missing = {f.name for f in kernel.fields if f.ratio_along(axis) == 0}
        if axis != swept and len(missing) < len(kernel.fields):
            assert missing.isdisjoint(s.field for s in kernel.statements), kernel.name


def _nest(kernel: Kernel, values: list[Value], live: list[tuple[Store, int]]) -> Nest:
    uses = _uses(values, [store.value for store, _ in live])
    stores = [store for store, _ in live]
    loaded = {
        (value.field, value.component)
        for i, value in enumerate(values)
        if isinstance(value, Load) and i in uses
    }
    in_place = {(s.field, s.component) for s in stores if (s.field, s.component) in loaded}
    is_exposed = bool(in_place) and len(stores) > 1
    names = _names(values, uses, in_place if is_exposed else set())
    body: list[Let | Store] = []
    if is_exposed:
        body += [Let(i, names[i]) for i in range(len(values)) if i in names]
        body += stores
    else:
        position = 0
        for store, end in live:
            body += [Let(i, names[i]) for i in range(position, end) if i in names]
            body.append(store)
            position = end
    nest = Nest(
        kernel.name,
        kernel.dimensions,
        tuple(replace(field, dtype=stored(field.dtype)) for field in kernel.fields),
        kernel.scalars,
        *_without_dead(tuple(values), tuple(body), uses),
        (),
        kernel.sweep,
    )
    passing = loaded | {(field.name, 0) for field in kernel.reduced}
    return replace(nest, streamed=tuple(r for r in nest.whole_rows if r[:2] not in passing))


def _uses(values: list[Value], roots: Sequence[int]) -> dict[int, int]:
    """Return how often each value that reaches memory is used."""
    uses: dict[int, int] = {}
    for root in roots:
        uses[root] = uses.get(root, 0) + 1
    for i in reversed(range(len(values))):
        value = values[i]
        if i in uses and isinstance(value, Operation):
            for below in value.operands:
                uses[below] = uses.get(below, 0) + 1
    return uses


def _names(
    values: list[Value], uses: dict[int, int], in_place: set[tuple[str, int]]
) -> dict[int, str]:
    """Choose what becomes a named local: what is used twice, parts of lines grown too long.

    And what must be loaded before anything is stored, since it may be overwritten; and what is
    computed once, since it is the same in all cells.
    """
    once = _computed_once(values, uses)
    names: dict[int, str] = {}
    sizes: list[int] = []
    for i, value in enumerate(values):
        size = 0
        if isinstance(value, Operation):
            size = 1 + sum(sizes[below] for below in value.operands if below not in names)
        sizes.append(size)
        shared = uses.get(i, 0) > 1 and _is_worth_a_name(values, value)
        early = isinstance(value, Load) and (value.field, value.component) in in_place
        if i in uses and (shared or early or i in once or size > _LONGEST_INLINE):
            names[i] = _name(values, value, f"v{len(names)}")
    return _distinct(names)


def _computed_once(values: list[Value], uses: dict[int, int]) -> set[int]:
    """Return the results that are the same in all cells and that what is not so begins with."""
    same = uniform(values)
    below = {
        operand
        for i, value in enumerate(values)
        if i in uses and i not in same and isinstance(value, Operation)
        for operand in value.operands
    }
    return {i for i in below & same if _is_worth_a_name(values, values[i])}


def _is_worth_a_name(values: list[Value], value: Value) -> bool:
    match value:
        case Literal() | ScalarValue() | IndexValue():
            return False
        case Load():
            return True
        case Operation(op, _, below):
            return op != "cast" or not isinstance(values[below[0]], Literal)
        case _:
            assert_never(value)


def _name(values: list[Value], value: Value, otherwise: str) -> str:
    match value:
        case Load(_, name, component, offset):
            steps = zip("xyz", offset, strict=False)
            return "_".join([f"{name}{component}", *(place(axis, step) for axis, step in steps)])
        case Operation("cast", dtype, (below,)) if isinstance(values[below], Load):
            return f"{_name(values, values[below], otherwise)}_{dtype}"
        case _:
            return otherwise


def place(axis: str, step: int) -> str:
    """Return 'xm' for one cell down, 'x0' for here, 'xp2' for two cells up."""
    if step == 0:
        return f"{axis}0"
    return axis + ("p" if step > 0 else "m") + (str(abs(step)) if abs(step) > 1 else "")


def _distinct(names: dict[int, str]) -> dict[int, str]:
    """Return the names with a suffix where two fields would give the same one."""
    used: set[str] = set()
    result = {}
    for i, name in names.items():
        unique = name
        while unique in used:
            unique += "_"
        used.add(unique)
        result[i] = unique
    return result


def _without_dead(
    values: tuple[Value, ...], body: tuple[Let | Store, ...], uses: dict[int, int]
) -> tuple[tuple[Value, ...], tuple[Let | Store, ...]]:
    """Drop values that reach no store and number the others anew."""
    numbers = {old: new for new, old in enumerate(i for i in range(len(values)) if i in uses)}
    kept: list[Value] = []
    for old in numbers:
        value = values[old]
        if isinstance(value, Operation):
            below = tuple(numbers[i] for i in value.operands)
            value = Operation(value.op, value.type, below)
        kept.append(value)
    renumbered = tuple(
        Let(numbers[part.value], part.name)
        if isinstance(part, Let)
        else replace(part, value=numbers[part.value])
        for part in body
    )
    return tuple(kept), renumbered
