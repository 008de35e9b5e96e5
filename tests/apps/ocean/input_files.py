"""Input files of oceans, as users have them, written for tests."""

from __future__ import annotations

import numpy as np
import xarray as xr

START = "2004-01-01 00:00:00"


def bathymetry(path, depth, width, **more):
    """Write a bathymetry on a Cartesian grid, given as (nx, ny), with axes (y, x)."""
    nx, ny = depth.shape
    coordinates = {"x": (np.arange(nx) + 0.5) * width, "y": (np.arange(ny) + 0.5) * width}
    data = xr.Dataset({"bathymetry": (("y", "x"), depth.T, {"units": "m"})}, coords=coordinates)
    data["grid_type"] = np.int32(1)
    data.x.attrs["units"] = data.y.attrs["units"] = "m"
    saved(data.assign(**more), path)


def boundary(path, hours, values, name="elev"):
    """Write elevations of open cells: (times, points)."""
    saved(
        xr.Dataset({name: (("time", "nbdyp"), values, {"units": "m"})}, {"time": since(hours)}),
        path,
    )


def discharge(path, hours, values, name):
    """Write how much water a river brings: (times)."""
    saved(xr.Dataset({name: ("time", values, {"units": "m3/s"})}, {"time": since(hours)}), path)


def weather(path, hours, **values):
    """Write weather: (times, y, x)."""
    units = {"u10": "m/s", "v10": "m s-1", "slp": "Pa", "tausx": "N/m2", "tausy": "N/m2"}
    units |= {"precip": "m s-1", "evap": "m/s"}
    arrays = {
        name: (("time", "lat", "lon"), array, {"units": units[name]})
        for name, array in values.items()
    }
    saved(xr.Dataset(arrays, {"time": since(hours)}), path)


def since(hours):
    """Return times after the start, as files have them."""
    return ("time", 3600.0 * np.asarray(hours, float), {"units": f"seconds since {START}"})


def saved(data, path):
    """Write NetCDF 3."""
    data.to_netcdf(path, engine="scipy")


def changed(path, change):
    """Write a file anew, with what a function makes of its data."""
    with xr.open_dataset(path, decode_times=False) as data:
        new = change(data.load())
    path.unlink()
    saved(new, path)


def namelists(path, **groups):
    """Write namelists: for each group a dictionary."""
    text = "".join(f"&{group}\n{_lines(values)}/\n" for group, values in groups.items())
    path.write_text(f"! of a test\n{text}", "utf-8")


def _lines(values):
    return "".join(f"   {name} = {_shown(value)}, ! a comment\n" for name, value in values.items())


def _shown(value):
    if isinstance(value, bool):
        return ".true." if value else ".false."
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    return f"'{value}'" if isinstance(value, str) else str(value)
