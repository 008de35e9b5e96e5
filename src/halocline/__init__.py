"""Halocline: write the kernel once; the halo takes care of itself.

'__init__.pyi' lists the public names. Each is imported when it is first used: 'import halocline' is
fast, and a program loads what it uses.
"""

import sys as _sys

from halocline.public_names import import_public as _import_public
from halocline.public_names import public_names as _public_names
from halocline.runtime.ending import report_once_before_mpi as _report_once_before_mpi

_report_once_before_mpi()
if "IPython" in _sys.modules:
    from halocline.notebook import register as _register

    _register()

# The module of each public name; 'halocline' of those that are modules themselves.
_MODULES = _public_names(__file__)
# Not for 'import *': with 'coarray' a process becomes one of several images, and 'output' is slow.
__all__ = [name for name in _MODULES if name not in ("coarray", "output")]


def __getattr__(name: str) -> object:
    if name == "__version__":
        from importlib.metadata import version

        return version("halocline")
    if name in ("lbm", "ocean"):
        hint = f"Write 'import halocline.{name} as {name}'."
        raise AttributeError(f"module 'halocline' has no attribute '{name}'. {hint}")
    return _import_public(__name__, name, _MODULES)


def __dir__() -> list[str]:
    return [*_MODULES, "__version__", "__doc__"]
