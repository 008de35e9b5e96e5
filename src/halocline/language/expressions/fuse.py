"""Cut a kernel into kernels whose statements may share one loop over the cells."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from halocline.frozen import Frozen
from halocline.language.expressions.expr import Expr, Read, rewrite
from halocline.language.expressions.kernel import reads

if TYPE_CHECKING:
    from halocline.geometry import Offset
    from halocline.language.expressions.kernel import Kernel, Statement

# Component of a field, and which child of a cell ('FieldType.parted').
Key = tuple[str, int, "Offset"]
Refilled = Callable[[str, "Offset"], bool]


def fuse(kernel: Kernel, is_refilled: Refilled | None = None) -> tuple[Kernel, ...]:
    """Return fused kernels that do the same one after the other, as few as a single pass finds.

    Two statements may share a loop unless one reads or assigns elsewhere what the other assigns.
    Those of a sweep always do: its columns are computed once, in order.

    Args:
        kernel: The kernel.
        is_refilled: Whether a boundary fills cells of a field that are read at an offset: what an
            earlier statement has assigned there is then no longer what a later one reads.
    """
    if kernel.sweep is not None:
        return (kernel,)
    groups: list[list[Statement]] = []
    shared = _Shared()
    for statement in kernel.statements:
        own = _uses(kernel, statement)
        if groups and shared.takes(own, is_refilled):
            groups[-1].append(statement)
        else:
            groups.append([statement])
            shared = _Shared()
        shared.add(own)
    return _kernels(kernel, groups)


def separate(kernel: Kernel) -> tuple[Kernel, ...]:
    """Return one kernel for each statement, each free to run just where its result is read.

    What a cell assigns to a finer field in a neighbour stays together: whole cells are pushed.
    """
    if kernel.sweep is not None:
        return (kernel,)
    groups: list[list[Statement]] = []
    for statement in kernel.statements:
        if groups and _share_neighbour(kernel, groups[-1][-1], statement):
            groups[-1].append(statement)
        else:
            groups.append([statement])
    return _kernels(kernel, groups)


def _share_neighbour(kernel: Kernel, first: Statement, second: Statement) -> bool:
    """Return whether two statements assign finer cells that one neighbour spans."""
    places = []
    for statement in (first, second):
        cell, _ = kernel.field(statement.field).parted(statement.offset)
        places.append((statement.field, statement.component, cell))
    return places[0] == places[1] and any(cell) and first.offset != second.offset


def with_statements(kernel: Kernel, kept: Sequence[int]) -> Kernel:
    """Return a kernel of some of the statements, with the versions of what they read recounted.

    Args:
        kernel: The kernel.
        kept: The positions of its statements that stay, in order.
    """

    def recounted(node: Expr) -> Expr | None:
        if not isinstance(node, Read) or node.version <= 0:
            return None
        target = (node.field, node.component)
        own = [n for n, s in enumerate(kernel.statements) if (s.field, s.component) == target]
        version = sum(number in kept for number in own[: node.version])
        return Read(node.field, node.component, node.offset, version, node.shift)

    some = [kernel.statements[number] for number in kept]
    statements = tuple(replace(s, value=rewrite(s.value, recounted)) for s in some)
    return replace(kernel, statements=statements)


def by_component(kernel: Kernel) -> tuple[Kernel, ...]:
    """Return a kernel for each component of what is assigned, if they have nothing in common.

    Each is free to run just where its result is read. Two have nothing in common if of fields with
    several components they read others; such kernels stay whole.
    """
    groups: dict[int, list[Statement]] = {}
    users: dict[tuple[str, int], set[int]] = {}
    for statement in kernel.statements:
        groups.setdefault(statement.component, []).append(statement)
        for read in reads(statement.value):
            if kernel.field(read.field).components > 1:
                users.setdefault((read.field, read.component), set()).add(statement.component)
    if kernel.sweep is not None or any(len(components) > 1 for components in users.values()):
        return (kernel,)
    return tuple(replace(kernel, statements=tuple(group)) for group in groups.values())


class _Uses(Frozen):
    """Where a statement assigns, where it reads and assigns each component.

    And of which components it reads what an earlier statement has assigned.
    """

    key: Key
    offset: Offset
    places: dict[Key, set[Offset]]
    of_earlier: frozenset[Key]


def _key(kernel: Kernel, use: Read | Statement) -> Key:
    _, child = kernel.field(use.field).parted(use.offset)
    return use.field, use.component, child


def _uses(kernel: Kernel, statement: Statement) -> _Uses:
    key = _key(kernel, statement)
    places: dict[Key, set[Offset]] = {key: {statement.offset}}
    own = reads(statement.value)
    for read in own:
        places.setdefault(_key(kernel, read), set()).add(read.offset)
    of_earlier = frozenset(_key(kernel, read) for read in own if read.version)
    return _Uses(key, statement.offset, places, of_earlier)


class _Shared:
    """What statements that share a loop assign and use: for each component the offsets."""

    def __init__(self) -> None:
        self._assigned: dict[Key, set[Offset]] = {}
        self._used: dict[Key, set[Offset]] = {}

    def add(self, own: _Uses) -> None:
        """Let another statement share the loop."""
        self._assigned.setdefault(own.key, set()).add(own.offset)
        for key, offsets in own.places.items():
            self._used.setdefault(key, set()).update(offsets)

    def takes(self, own: _Uses, is_refilled: Refilled | None) -> bool:
        """Return whether a cell can do one more statement before others have done all of these."""
        return (
            self._used.get(own.key, {own.offset}) == {own.offset}
            and all(
                len(offsets | self._assigned[key]) == 1
                for key, offsets in own.places.items()
                if key in self._assigned
            )
            and not self._is_between(own, is_refilled)
        )

    def _is_between(self, own: _Uses, is_refilled: Refilled | None) -> bool:
        """Return whether a boundary changes what one of these assigned before the other reads."""
        return is_refilled is not None and any(
            is_refilled(key[0], offset)
            for key in own.of_earlier
            for offset in self._assigned.get(key, ())
        )


def _kernels(kernel: Kernel, groups: list[list[Statement]]) -> tuple[Kernel, ...]:
    if len(groups) == 1:
        return (kernel,)
    result = []
    done: list[Statement] = []
    for number, group in enumerate(groups, 1):
        statements = tuple(replace(s, value=_counted_from(kernel, s.value, done)) for s in group)
        result.append(replace(kernel, name=f"{kernel.name}_{number}", statements=statements))
        done += group
    return tuple(result)


def _counted_from(kernel: Kernel, root: Expr, done: list[Statement]) -> Expr:
    """Return an expression with versions counted without the statements already done.

    A version below 0 is gone: one of those has overwritten it.
    """
    if not done:
        return root

    def counted(node: Expr) -> Expr | None:
        if not isinstance(node, Read):
            return None
        own = [s for s in done if (s.field, s.component) == (node.field, node.component)]
        since = {_key(kernel, s) for s in own[node.version :]}
        version = node.version - len(own)
        if version < 0 and _key(kernel, node) not in since:
            version = 0
        return Read(node.field, node.component, node.offset, version)

    return rewrite(root, counted)
