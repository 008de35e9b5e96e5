"""Every public name has a docstring that begins with what it does or is, and an example that runs.

Examples of docstrings are run by 'test_documents.py'.
"""

from __future__ import annotations

import importlib
import inspect

import pytest

PUBLIC = ["halocline", "halocline.lbm", "halocline.ocean", "halocline.coarray"]
# What a docstring begins with that describes instead of naming: "What …", "Returns …".
DESCRIBING = {"What", "Returns", "Makes", "Gives", "Computes", "Draws", "Reads"}


def documented(module):
    """Return the docstrings of a module's functions and classes by their full names."""
    package = importlib.import_module(module)
    names = getattr(package, "__all__", [name for name in dir(package) if name[0] != "_"])
    values = {name: getattr(package, name) for name in names}
    return {
        f"{module}.{name}": inspect.getdoc(value) or ""
        for name, value in values.items()
        if callable(value) and getattr(value, "__module__", "").startswith("halocline")
    }


@pytest.mark.parametrize("module", PUBLIC)
def test_every_docstring_begins_with_a_sentence_that_names_or_orders(module):
    first = {name: text.partition("\n")[0] for name, text in documented(module).items()}
    wrong = [n for n, line in first.items() if not line or line.split()[0] in DESCRIBING]
    assert not wrong


@pytest.mark.parametrize("module", PUBLIC)
def test_every_name_has_an_example(module):
    assert not [name for name, text in documented(module).items() if ">>> " not in text]
