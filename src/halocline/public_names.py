"""Public names: a stub beside a module lists them, and each is imported when it is first used."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path


def public_names(file: str) -> dict[str, str]:
    """Return the module that defines each public name of a module, from the stub beside its file.

    Example:
        >>> from halocline.public_names import public_names
        >>> public_names(hc.__file__)["Grid"]
        'halocline.language.grids.grid'
    """
    text = Path(file).with_suffix(".pyi").read_text("utf-8")
    found = re.findall(r"^from (\S+) import (\w+) as", text, re.MULTILINE)
    return {name: module for module, name in found}


def import_public(module: str, name: str, defined_in: Mapping[str, str]) -> object:
    """Import the value of a public name, which from then on is an attribute of its module.

    Args:
        module: The module that users import.
        name: The name.
        defined_in: What 'public_names' returns for that module.

    Raises:
        AttributeError: There is no such name.
    """
    if name not in defined_in:
        message = f"module '{module}' has no attribute '{name}'"
        raise AttributeError(message, name=name, obj=sys.modules[module])
    names = vars(import_module(defined_in[name]))
    value = names[name] if name in names else import_module(f"{defined_in[name]}.{name}")
    setattr(sys.modules[module], name, value)
    return value
