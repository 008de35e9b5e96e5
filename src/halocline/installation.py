"""What an installation need not have: extras, and packages that add commands and cases."""

from __future__ import annotations

import re
from importlib.util import find_spec
from typing import TYPE_CHECKING

from halocline.errors import InstallationError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from importlib.metadata import EntryPoint

# What needs the packages of each extra of 'pyproject.toml'.
EXTRAS = {
    "output": "Files of fields and labelled arrays",
    "plot": "Pictures and movies",
    "ocean": "Oceans from files",
    "geometry": "Geometries from files and surfaces",
    "partition": "Shares by METIS",
    "probe": "Measurements of a machine",
}
# How metadata declare a package of an extra; extras that are made of others are left out.
_OF_EXTRA = re.compile(r"([\w-]+)(?:>=([\d.]+))?\s*;\s*extra == [\"'](\w+)[\"']")
# What the second package of the repository adds.
_REPRODUCTION = {"commands": ("papers",), "cases": ("obstacle-flow",)}


def need(extra: str, *packages: str) -> None:
    """Raise an InstallationError if packages of an extra are not installed.

    Called before they are imported, and before what takes long and needs them at its end.

    Args:
        extra: Its name, as 'plot'.
        packages: The names by which they are imported.
    """
    for package in packages:
        if find_spec(package) is None:
            raise InstallationError(
                f"{EXTRAS[extra]} need the package '{package}', which is not installed.",
                hint=f'Install it: pip install "halocline[{extra}]".',
            )


def extras() -> Mapping[str, Mapping[str, bool]]:
    """Return for each extra whether each of its packages is installed, as new as it must be.

    The packages are those that the installed Halocline declares: an installation that is older than
    the source tells of its own.
    """
    from importlib.metadata import requires

    found: dict[str, dict[str, bool]] = {}
    for line in requires("halocline") or ():
        if match := _OF_EXTRA.match(line):
            package, least, extra = match.groups()
            found.setdefault(extra, {})[package] = _is_installed(package, least)
    return found


def _is_installed(package: str, least: str | None) -> bool:
    from importlib.metadata import PackageNotFoundError, version

    try:
        present = version(package)
    except PackageNotFoundError:
        return False
    return _numbers(present) >= _numbers(least or "")


def _numbers(version: str) -> tuple[int, ...]:
    leading = re.match(r"[\d.]*", version)
    return tuple(int(part) for part in leading[0].split(".") if part) if leading else ()


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
