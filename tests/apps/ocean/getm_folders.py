"""Folders of GETM for tests: a box that is open in the north, with layers or without."""

from __future__ import annotations

from pathlib import Path

import input_files as files
import numpy as np
import pytest
from msgspec import Struct, field

import halocline as hc
from halocline.apps.ocean.input.getm.setup import read_getm_folder
from halocline.apps.ocean.physics.drag import LogarithmicDrag
from halocline.apps.ocean.physics.drying import Drying
from halocline.apps.ocean.setup.domain import Domain, OpenBoundary, coriolis
from halocline.apps.ocean.setup.setup import Setup
from halocline.errors import CaseError

# The box of the report, with cells of 32 km.
N, WIDTH, DEPTH, DT = 15, 32e3, 60.0, 300.0
OMEGA, HOURS = 2.0 * np.pi / 43200.0, 24
LATITUDE = float(np.degrees(np.arcsin(1.2e-4 / (2.0 * 7.2921e-5))))
SAMPLES = np.arange(0.0, HOURS + 0.1, 0.5)


class Folder(Struct):
    """A folder whose settings and files a test changes before it is read."""

    path: Path
    settings: dict = field(default_factory=dict)

    def set(self, group, **values):
        """Change settings; None leaves one out."""
        kept = {**self.settings.get(group, {}), **values}
        self.settings[group] = {n: v for n, v in kept.items() if v is not None}
        return self

    def write(self, name, text):
        (self.path / name).write_text(text, "utf-8")
        return self

    def read(self):
        files.namelists(self.path / "getm.inp", **self.settings)
        return read_getm_folder(self.path)

    def refusal(self):
        with pytest.raises(CaseError) as caught:
            self.read()
        return str(caught.value)


def box(path):
    """Return the box, open in the north, clamped to a tide of 0.5 m."""
    files.bathymetry(path / "topo.nc", np.full((N, N), DEPTH), WIDTH)
    tide = 0.5 * np.cos(OMEGA * 3600.0 * SAMPLES)
    files.boundary(path / "bdy_2d.nc", SAMPLES, np.tile(tide[:, np.newaxis], (1, N)))
    folder = Folder(path).write("bdyinfo.dat", f"# W\n0\n! N\n1\n{N} 1 {N} 3 0\n0\n0\n")
    folder.set("param", runid="box", title="the box", runtype=1, parallel=False)
    folder.set("time", timestep=DT, timefmt=2, start=files.START, stop="2004-01-02 00:00:00")
    folder.set(
        "domain", bathymetry="topo.nc", latitude=LATITUDE, f_plane=True, vert_cord=1, kdum=30
    )
    folder.set("domain", openbdy=True, bdyinfofile="bdyinfo.dat", min_depth=0.05, crit_depth=0.2)
    folder.set("domain", z0_const=0.001)
    folder.set("meteo", metforcing=False)
    folder.set("rivers", river_method=0)
    folder.set("m2d", MM=1, vel2d_adv_hor=1, vel2d_adv_split=0, bdy2d=True, bdyfmt_2d=2)
    folder.set("m2d", bdy2d_ramp=144, bdyfile_2d="bdy_2d.nc", residual=-1)
    return folder.set("io_spec", out_fmt=2, hotout=(-1, -1, -1))


def made_by_hand():
    """Return the setup of the same box, without files."""
    tide = np.tile((0.5 * np.cos(OMEGA * 3600.0 * SAMPLES))[:, np.newaxis], (1, N))
    domain = Domain(
        np.full((N, N), DEPTH),
        (WIDTH, WIDTH),
        f=float(coriolis(LATITUDE)),
        open=(OpenBoundary("north", N - 1, 0, N - 1),),
    )
    return Setup(
        domain,
        DT,
        8,
        drag=LogarithmicDrag(0.001),
        drying=Drying(0.05, 0.2),
        elevation=hc.Series(3600.0 * SAMPLES, tide),
        ramp=144 * DT,
    )


def layered(folder, kind=4):
    """Make the folder one of a run with layers, with all that these need said."""
    folder.set("param", runtype=kind).set("domain", kdum=4, ddu=1.0, ddl=0.0)
    folder.set("m3d", M=10, ip_method=6, calc_temp=True, calc_salt=True)
    folder.set("temp", temp_method=1, temp_const=12.0, temp_adv_hor=6, temp_adv_ver=6)
    folder.set("temp", temp_adv_split=2).set("salt", salt_method=1, salt_const=30.0)
    folder.set("salt", salt_adv_hor=6, salt_adv_ver=6, salt_adv_split=2)
    return folder.set("eqstate", eqstate_method=1, T0=9.0, dtr0=-0.2)


def fields(output):
    import xarray

    return xarray.open_zarr(next(output.glob("*.zarr")), consolidated=False).load()
