"""What an installation need not have: packages that add commands and cases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halocline.errors import InstallationError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

# What the second package of the repository adds.
_REPRODUCTION = {"commands": ("papers",), "cases": ("obstacle-flow",)}


def additions(kind: str) -> dict[str, EntryPoint]:
    """Return what other installed packages add, by name.

    Args:
        kind: 'commands' or 'cases'; a package declares them as entry points of the group
            'halocline.commands' or 'halocline.cases'.
    """
    from importlib.metadata import entry_points

    return {entry.name: entry for entry in entry_points(group=f"halocline.{kind}")}


def refuse_if_not_installed(kind: str, name: str) -> None:
    """Raise an InstallationError if an absent package of this repository adds a name."""
    if name in _REPRODUCTION[kind]:
        raise InstallationError(
            f"'{name}' belongs to the package 'halocline-reproduction', which is not installed.",
            hint="Install it: pip install ./reproduction, in Halocline's repository.",
        )
