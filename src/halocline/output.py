"""Fields, numbers, pictures and checkpoints in files: while a simulation runs, and of its state.

FieldSeries, VtkSeries and TimeSeries say what is written every so many steps; a Recorder runs a
simulation and writes it. 'save' and 'load' are about all that a simulation goes on from, in files
or in the memory of nodes; 'forget' removes it from memory.
"""

from halocline.io.axis import Axis
from halocline.io.checkpoint import forget, load, save
from halocline.io.field_series import FieldSeries
from halocline.io.forest_plane import plane_through
from halocline.io.plots import PlanePicture, draw_plane
from halocline.io.quantity import Integral, Quantity
from halocline.io.recorder import Output, Recorder
from halocline.io.time_series import Probe, TimeSeries
from halocline.io.variable import Variable
from halocline.io.vtk import VtkSeries

__all__ = [
    "Axis",
    "FieldSeries",
    "Integral",
    "Output",
    "PlanePicture",
    "Probe",
    "Quantity",
    "Recorder",
    "TimeSeries",
    "Variable",
    "VtkSeries",
    "draw_plane",
    "forget",
    "load",
    "plane_through",
    "save",
]
