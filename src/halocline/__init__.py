"""Halocline: write the kernel once; the halo takes care of itself.

'__init__.pyi' lists the public names. Each is imported when it is first used: 'import halocline' is
fast, and a program loads what it uses.
"""

import re as _re
import sys as _sys
from importlib import import_module as _import_module
from pathlib import Path as _Path

from halocline.runtime.ending import report_once_before_mpi as _report_once_before_mpi

_report_once_before_mpi()
if "IPython" in _sys.modules:
    from halocline.notebook import register as _register

    _register()

# The module of each public name; 'halocline' of those that are modules themselves.
_MODULES = {
    name: module
    for module, name in _re.findall(
        r"^from (\S+) import (\w+) as",
        _Path(__file__).with_suffix(".pyi").read_text("utf-8"),
        _re.MULTILINE,
    )
}
# Not for 'import *': with 'coarray' a process becomes one of several images, and 'output' is slow.
__all__ = [name for name in _MODULES if name not in ("coarray", "output")]


def __getattr__(name: str) -> object:
    if name == "__version__":
        from importlib.metadata import version

        return version("halocline")
    if name not in _MODULES:
        hint = f". Write 'import halocline.{name} as {name}'." if name in ("lbm", "ocean") else ""
        raise AttributeError(f"module 'halocline' has no attribute '{name}'{hint}")
    if _MODULES[name] == __name__:
        return _import_module(f"{__name__}.{name}")
    value = getattr(_import_module(_MODULES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*_MODULES, "__version__", "__doc__"]
