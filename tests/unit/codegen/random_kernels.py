"""Random fused kernels for comparing targets."""

from __future__ import annotations

import random

from halocline.language.expressions.expr import (
    Binary,
    Cast,
    Compare,
    Const,
    Index,
    Read,
    Scalar,
    Unary,
    Where,
)
from halocline.language.expressions.kernel import DTYPES, INTEGERS, FieldType, Kernel, Statement
from halocline.language.expressions.promotion import promoted, types_of

EXACT = ("add", "sub", "mul", "min", "max")
BITS = ("and", "or", "xor")
DIVIDED = ("floordiv", "mod")
SHIFTED = ("shl", "shr")
WIDTHS = {True: ("float64", "float32"), False: (*INTEGERS, "bool")}


class Maker:
    """Makes one kernel; reproducible from the seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.random_layout = random.Random(seed)
        self.dimensions = self.random.choice((1, 2, 3, 3))
        only = self.random.choice((None, None, "float64", "float32", "int64"))
        self.fields = tuple(self.field(name, only) for name in ("f", "g", "a", "b"))
        self.scalars = ("s", "t")
        self.floating = True

    def field(self, name: str, dtype: str | None) -> FieldType:
        components = self.random.choice((1, 1, 2))
        layout = self.random_layout.choice(("soa", "aos")) if components > 1 else "soa"
        return FieldType(name, dtype or self.random.choice(DTYPES), components, layout)

    def kernel(self, name: str) -> Kernel:
        """Return a kernel that reads f and g around each cell, and writes a, b and parts of g."""
        places = [(f.name, c) for f in self.fields[1:] for c in range(f.components)]
        targets = self.random.sample(places, min(len(places), self.random.randint(1, 4)))
        # Each is read where it is assigned, at the cell itself or next door.
        self.places = {target: self.offset((-1, 0, 0, 1)) for target in targets}
        self.versions = dict.fromkeys(targets, 0)
        statements = []
        for field, component in [*targets, self.random.choice(targets)]:
            kind = next(f.dtype for f in self.fields if f.name == field)
            self.floating = kind.startswith("float")
            place = self.places[field, component]
            value = self.truth(4) if kind == "bool" else self.number(4)
            if kind == "bool" and self.kind_of(value) != "bool":
                value = Cast("bool", value)
            statements.append(Statement(field, component, value, place))
            self.versions[field, component] += 1
        return Kernel(name, self.dimensions, self.fields, self.scalars, tuple(statements))

    def read(self):
        candidates = self.fields
        if not self.floating:  # the value of a fraction beyond the integers is nobody's promise
            candidates = tuple(f for f in self.fields if not f.dtype.startswith("float"))
            if not candidates:
                return Const(self.random.randint(0, 3))
        field = self.random.choice(candidates)
        component = self.random.randrange(field.components)
        target = (field.name, component)
        if target not in self.places:
            return Read(*target, self.offset((-2, -1, 0, 0, 1)))
        return Read(*target, self.places[target], self.random.randint(0, self.versions[target]))

    def offset(self, steps):
        return tuple(self.random.choice(steps) for _ in range(self.dimensions))

    def leaf(self):
        kind = self.random.randrange(8)
        if kind < 5:
            return self.read()
        if kind == 5:
            return Index(self.random.randrange(self.dimensions), self.random.choice((-1, 0, 2)))
        if kind == 6 and self.floating:
            return Scalar(self.random.choice(self.scalars))
        if self.floating:
            return Const(self.random.choice((0.1, -2.5, 3, 0.0, -0.0, True, 1e-3, 7)))
        return Const(self.random.choice((0, 1, 2, 3, True)))

    def kind_of(self, value):
        """Return the type of a value."""
        return types_of(value, {field.name: field.dtype for field in self.fields})[value]

    def numeric(self, value):
        """Return a value that can be subtracted: no truth value."""
        return Cast("int32", value) if self.kind_of(value) == "bool" else value

    def alike(self, *values):
        """Return values that have a type of integers in common, where these are wanted."""
        kinds = [self.kind_of(value) for value in values]
        if self.floating or not promoted(*kinds).startswith("float"):
            return values
        return [Cast("int64", value) for value in values]

    def number(self, depth: int):
        if depth == 0 or self.random.random() < 0.1:
            return self.leaf()
        kind = self.random.randrange(11)
        if kind < 6:
            ops = (
                (*EXACT, *DIVIDED, "div") if self.floating else (*EXACT, *BITS, *DIVIDED, *SHIFTED)
            )
            op = self.random.choice(ops)
            left = self.number(depth - 1)
            right = left if self.random.random() < 0.15 else self.number(depth - 1)
            if op in ("sub", *DIVIDED, *SHIFTED):
                left, right = self.numeric(left), self.numeric(right)
            return Binary(op, *self.alike(left, right))
        if kind == 10:
            return Cast(self.random.choice(WIDTHS[self.floating]), self.number(depth - 1))
        if kind == 6:
            op = self.random.choice(("neg", "abs") if self.floating else ("neg", "abs", "invert"))
            operand = self.number(depth - 1)
            if op == "neg":
                operand = self.numeric(operand)
            if self.floating and self.random.random() < 0.4:
                return Unary("sqrt", Unary("abs", operand))
            return Unary(op, operand)
        if kind == 7:
            return self.truth(depth - 1)
        choice = self.truth(depth - 1)
        return Where(choice, *self.alike(self.number(depth - 1), self.number(depth - 1)))

    def truth(self, depth: int):
        kind = self.random.randrange(6)
        if depth == 0 or kind < 3:
            op = self.random.choice(("lt", "le", "gt", "ge", "eq", "ne"))
            return Compare(op, self.number(max(0, depth - 1)), self.number(max(0, depth - 1)))
        if kind == 3:
            return Unary("invert", self.bool(depth - 1))
        if kind == 4:
            return self.number(depth - 1)
        return Binary(self.random.choice(BITS), self.bool(depth - 1), self.bool(depth - 1))

    def bool(self, depth: int):
        """Return a truth value: of a number, whether it is not zero."""
        value = self.truth(depth)
        return value if self.kind_of(value) == "bool" else Cast("bool", value)


def random_kernel(seed: int) -> Kernel:
    """Return the kernel of a seed."""
    return Maker(seed).kernel(f"random_{seed}")
