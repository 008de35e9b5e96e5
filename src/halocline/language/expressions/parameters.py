"""Numbers that are the same in all cells: given by the user, or computed of others."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn

from halocline.errors import KernelError
from halocline.language.expressions import operators
from halocline.language.expressions.expr import Const, Number, walk
from halocline.language.expressions.formulas import check_formula, value_of
from halocline.language.expressions.show import show_formula
from halocline.language.numbers import number
from halocline.language.place import user_place

if TYPE_CHECKING:
    from halocline.language.expressions.expr import Expr


class Parameter(operators.Operand):
    """A number that kernels read at run time and that may change between steps.

    With numbers and others like it, it can be computed with: the result is a 'Formula'.

    Args:
        value: Its number at first.
        name: What messages and checkpoints call it.

    Example:
        >>> rate = hc.Parameter(0.1, "rate")
        >>> rate.value = 0.2
    """

    is_number = True

    def __init__(self, value: float, name: str = "parameter") -> None:
        self.name = name
        self.value = value

    @property
    def value(self) -> float:
        """The current number; assign to it between runs or in a callback, on every rank alike.

        Raises:
            KernelError: It was given something else than a number.
        """
        return self._value

    @value.setter
    def value(self, value: float) -> None:
        self._value = number(f"The parameter '{self.name}'", value, KernelError)

    @property
    def compared(self) -> str:
        """What ranks compare before a run."""
        return repr(self.value)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters of which it is computed: itself, if it is not."""
        return (self,)

    def expression(self) -> Expr:
        """Return it as part of an expression."""
        return Number(self)

    def made(self, node: Expr) -> Formula:
        """Return an expression of parameters as a parameter."""
        return Formula(node)

    def __bool__(self) -> bool:
        """Refuse to choose while steps are written: the number may change while they are done."""
        raise KernelError(
            f"'if', 'and', 'or' or 'not' was applied to '{self.name}', a number that is known "
            "only at run time.",
            hint="Write hc.where(condition, a, b), '&', '|' and '~' instead; its present value "
            "is its attribute 'value'.",
            place=user_place(),
        )

    def __float__(self) -> float:
        """Refuse to be a number in Python: what is made of it would not follow it."""
        raise KernelError(
            f"'{self.name}', a number that may change while steps are done, was used as one of "
            "Python's.",
            hint="Its present value is its attribute 'value'; hc.sqrt and the like compute with it "
            "at run time.",
            place=user_place(),
        )

    def __format__(self, how: str) -> str:
        """Return it as text; how numbers are written, as in f'{p:.3f}', is about its value."""
        return format(self.value, how) if how else str(self)

    def __repr__(self) -> str:
        """Return name and value."""
        return f"{self.name}={self.value:g}"


class Count(Parameter):
    """A parameter that counts: its value is a whole number of Python's."""

    @property
    def value(self) -> int:
        """The current number."""
        return int(self._value)

    @value.setter
    def value(self, value: float) -> None:
        self._value = number(f"The parameter '{self.name}'", value, KernelError)


# Known to every simulation: the number of the step being executed, and step * dt.
step = Count(0, "step")
time = Parameter(0.0, "time")
CLOCK = (step, time)


class Formula(Parameter):
    """A parameter that is computed of others, in float64, wherever and whenever it is used.

    Attributes:
        node: How.
    """

    def __init__(self, node: Expr) -> None:
        self.node = node
        self.is_condition = check_formula(node) == "bool"

    @cached_property
    def name(self) -> str:  # type: ignore[override]
        """The formula as text."""
        return show_formula(self.node)

    @property
    def value(self) -> float:
        """What it is with the present values of its parameters."""
        return value_of(self.node)

    @value.setter
    def value(self, _: float) -> NoReturn:
        raise KernelError(
            f"The value of the formula '{self.name}' was to be set; it is computed.",
            hint="Give its parameters other values.",
            place=user_place(),
        )

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Its parameters, each once."""
        return numbers_in(self.node)

    def expression(self) -> Expr:
        """Return how it is computed."""
        return self.node


def numbers_in(*roots: Expr) -> tuple[Parameter, ...]:
    """Return the parameters in expressions, each once, in a fixed order."""
    return tuple(node.parameter for node in walk(*roots) if isinstance(node, Number))


def parameter_of(root: Expr) -> Parameter:
    """Return an expression of parameters as a parameter: itself if it is one, else a formula."""
    parameter: Parameter = root.parameter if isinstance(root, Number) else Formula(root)
    return parameter


def formula(value: float | Parameter) -> Parameter:
    """Return a number or parameter as something that can be computed at run time."""
    return value if isinstance(value, Parameter) else Formula(Const(float(value)))


def described_values(*used: Any) -> str:
    """Return the parameters of formulas with their values: 'a = 1, b = 0.5'."""
    distinct = dict.fromkeys(p for parameter in used for p in parameter.parameters)
    return ", ".join(f"{p.name} = {p.value:.6g}" for p in distinct)
