"""A backend of Matplotlib that draws nothing: every picture is an empty file."""

from __future__ import annotations

from pathlib import Path

from matplotlib.backend_bases import FigureCanvasBase, FigureManagerBase


class FigureCanvas(FigureCanvasBase):
    """Where a figure is not drawn."""

    def print_figure(self, filename, *_, **__):
        Path(filename).touch()


FigureManager = FigureManagerBase
