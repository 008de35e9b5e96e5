"""The subdomain shapes of paper 002 and the link of its cluster."""

from __future__ import annotations

from halocline.papers.predict import near_square
from halocline.papers.published import published

LINK = "gigabit-2011"
SHAPES = published("002-A2").columns[1:]
# Cells of the report's domain along each axis.
_DOMAIN = 240


def shape_cells(shape: str) -> tuple[int, int]:
    """Return '60x40' as numbers."""
    along_x, along_y = shape.split("x")
    return int(along_x), int(along_y)


def shape_blocks(ranks: int) -> tuple[int, int]:
    """Return the ranks along x and y here."""
    return near_square(ranks)


def getm_blocks(shape: str) -> tuple[int, int]:
    """Return the report's subdomains along x and y."""
    along_x, along_y = shape_cells(shape)
    return _DOMAIN // along_x, _DOMAIN // along_y
