"""The border between Python and C++: what Python gives is checked, what it is told is true."""

from __future__ import annotations

import ast
import re
from enum import EnumMeta
from pathlib import Path
from typing import get_args

import numpy as np
import pytest

from halocline.plan.cells.strategy import DeviceTransport, HostTransport
from halocline.plan.value.execution import Choice
from halocline.runtime import _core

STUBS = [Path(_core.__file__).with_name(name) for name in ("_core.pyi", "_records.pyi")]


def declared() -> list[ast.stmt]:
    """Return what the stubs say of the extension."""
    return [node for stub in STUBS for node in ast.parse(stub.read_text()).body]


def named(body: list[ast.stmt], *kinds: type) -> dict[str, ast.stmt]:
    """Return classes or functions by name; of overloaded functions the first."""
    return {node.name: node for node in reversed(body) if isinstance(node, kinds)}


def public(names) -> set[str]:
    return {name for name in names if not name.startswith("_")}


def arguments(definition: ast.FunctionDef) -> list[tuple[str, bool]]:
    """Return the arguments of a function, and whether each may be left out."""
    names = [argument.arg for argument in definition.args.args]
    optional = len(names) - len(definition.args.defaults)
    return [(name, position >= optional) for position, name in enumerate(names)]


def bound_arguments(function: object) -> list[tuple[str, bool]]:
    """Return the same of a function of the extension."""
    signature, *_ = function.__nb_signature__[0]
    # Neither defaults nor types of arrays are written as Python would.
    text = re.sub(r"\\\d+|ndarray\[[^\]]*\]", "...", signature.rpartition(" -> ")[0])
    return arguments(ast.parse(f"{text}: ...").body[0])


def test_the_stub_names_what_there_is():
    body = declared()
    values = {n.target.id for n in body if isinstance(n, ast.AnnAssign)}
    values |= {n.targets[0].id for n in body if isinstance(n, ast.Assign)}
    known = {*named(body, ast.ClassDef, ast.FunctionDef), *values}
    assert public(known) == public(vars(_core))


def test_the_stub_has_the_arguments_of_every_function():
    body = declared()
    for name, function in named(body, ast.FunctionDef).items():
        assert arguments(function) == bound_arguments(getattr(_core, name)), name
    for class_name, of_class in named(body, ast.ClassDef).items():
        bound = getattr(_core, class_name)
        if isinstance(bound, EnumMeta):
            continue
        for name, function in named(of_class.body, ast.FunctionDef).items():
            if not function.decorator_list:
                found = bound_arguments(getattr(bound, name))
                assert arguments(function) == found, f"{class_name}.{name}"


def test_enumerators_are_named_as_in_plans():
    transports = {*get_args(HostTransport), *get_args(DeviceTransport)}
    assert {way.name for way in _core.TransportKind} == transports
    assert {reduction.name for reduction in _core.Reduction} == {"sum", "min", "max"}
    assert {choice.name for choice in _core.Choice} == {*get_args(Choice)}


KINDS = ", ".join(kind.__name__ for kind in get_args(_core.Operation))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: _core.Runtime(1).set_program("step", [_core.Start(0), ("wait", 0)]),
            f"Program 'step': operations[1] is ('wait', 0); expected: {KINDS}.",
        ),
        (
            lambda: _core.Loop(2, [_core.Every(1, [3])]),
            f"Every.body[0] is 3; expected: {KINDS}.",
        ),
        (
            lambda: _core.Run(0, "a core", [(0, 0)]),
            "Run.boxes[0] is (0, 0); expected: BlockBox.",
        ),
    ],
)
def test_what_is_no_record_is_named_with_its_place(make, message):
    with pytest.raises(TypeError) as caught:
        make()
    assert str(caught.value) == message


def test_a_field_of_another_type_is_refused_with_what_is_expected():
    with pytest.raises(TypeError, match=r"reduction: halocline.runtime._core.Reduction, slot: int"):
        _core.Reduce("sum", 0, 0, [], 0)
    with pytest.raises(TypeError, match=r"parts: .*shape=\(\*, 14\)"):
        _core.Message(0, 1, _core.TransportKind["put"], np.zeros((2, 12), np.int64))
    with pytest.raises(KeyError, match="telepathy"):
        _core.TransportKind["telepathy"]
