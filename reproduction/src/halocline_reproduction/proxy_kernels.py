"""The steps that the experiments run: a grid with fields and values, made by name.

Everything is periodic, so that each rank does the same and has all its neighbours, as the rank in
the middle that decides the papers' times.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import halocline as hc
from halocline.bench.d2q9 import periodic_lattice
from halocline.errors import CaseError, nearest
from halocline.frozen import Frozen
from halocline.language.grids.fields import Field
from halocline.language.grids.grid import Grid
from halocline.language.grids.sides import names_of_sides
from halocline.lbm import Setup, Wall, make_flow, velocity_set
from halocline_reproduction import kernels
from halocline_reproduction.ocean_box import MICRO_STEPS, make_box

_OMEGA = 1.6
_COURANT = 0.1
_UPTAKE = 1e-3
# Section 5.2 of paper 001.
_FLOW_OMEGA, _LID_SPEED = 1.4, 0.1

# The axis of each velocity, with the layers along the last axis of the grid or along its first.
_COLUMNS_LAST = {"u": (1, 0, 0), "v": (0, 1, 0), "w": (0, 0, 1)}
_COLUMNS_FIRST = {"u": (0, 1, 0), "v": (0, 0, 1), "w": (1, 0, 0)}


class ProxyKernel(Frozen):
    """One time step of something.

    Attributes:
        grid: Its grid.
        steps: What a time step does.
        result: The field whose bits tell whether the result is right.
        updates: How often a step updates each cell.
        first_steps: After so many the bits are compared: whole rounds of all depths of halos.
    """

    grid: Grid
    steps: tuple[Any, ...]
    result: Field
    updates: int = 1
    first_steps: int = 12


def proxy_kernel(name: str, extent: tuple[int, ...], dtype: str = "float64") -> ProxyKernel:
    """Return a step on a grid with its first values.

    Args:
        name: One of PROXY_KERNELS.
        extent: Cells of the whole domain.
        dtype: Element type of the fields.

    Raises:
        CaseError: There is no such step.
    """
    if name not in PROXY_KERNELS:
        raise CaseError(f"There is no step '{name}'.", hint=nearest(name, PROXY_KERNELS))
    return PROXY_KERNELS[name](extent, dtype)


def _lattice(name: str, extent: tuple[int, ...], dtype: str) -> ProxyKernel:
    return ProxyKernel(*periodic_lattice(name, extent, dtype))


def _flow(
    extent: tuple[int, ...], dtype: str, streaming: str = "two-grids", *, is_cavity: bool = False
) -> ProxyKernel:
    """Return a flow of paper 001: periodic, or a cavity with a lid at z+."""
    sides = dict.fromkeys(names_of_sides(3), Wall())
    sides["z+"] = Wall((_LID_SPEED, 0.0, 0.0))
    walls = sides if is_cavity else {}
    flow = make_flow(
        Setup(extent, "D3Q19", _FLOW_OMEGA, sides=walls, streaming=streaming, dtype=dtype)
    )
    flow.f.set(partial(_waves, len(flow.velocity_set)))
    updates = flow.lattice_steps
    return ProxyKernel(flow.grid, tuple(flow.steps), flow.f, updates, 4 // updates)


def _waves(components: int, *coordinates: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return deviations from rest, along one axis each, which are the same on any ranks."""
    # Laid out as fields are, x fastest: others take long to copy.
    z, y, x = (c.size for c in reversed(coordinates))
    values = np.empty((components, z, y, x)).transpose(0, 3, 2, 1)
    for i in range(components):
        values[i] = 1e-3 * np.sin(i + 0.3 * coordinates[i % len(coordinates)])
    return values


def lattice_apart(extent: tuple[int, ...], dtype: str) -> ProxyKernel:
    """Return a D2Q9 step with a field for each population."""
    lattice = velocity_set("D2Q9")
    grid = hc.Grid(extent, periodic=True)
    f, g = ([grid.field(f"{name}{i}", dtype=dtype) for i in range(len(lattice))] for name in "fg")
    for i, population in enumerate(f):
        population.set(lambda x, y, i=i: 1e-3 * np.sin(i + 0.1 * x + 0.2 * y))
    call = kernels.collide_stream_apart(*f, *g, velocity_set=lattice, omega=_OMEGA)
    return ProxyKernel(grid, (call, *map(hc.swap, f, g)), f[1])


def micro_step(extent: tuple[int, ...], dtype: str) -> ProxyKernel:
    """Return a micro step of the 2-D mode: U, V, sea level, each of which exchanges, as in GETM."""
    grid = hc.Grid(extent, periodic=True)
    z, U, V = (grid.field(name, dtype=dtype) for name in ("z", "U", "V"))  # noqa: N806
    z.set(lambda x, y: 0.1 * np.sin(0.2 * x) * np.cos(0.3 * y))
    forces: dict[str, Any] = {"slope": _COURANT, "drag": 0.01}
    return ProxyKernel(
        grid,
        (
            kernels.momentum(U, V, z, axis=0, coriolis=0.01, **forces),
            kernels.momentum(V, U, z, axis=1, coriolis=-0.01, **forces),
            kernels.sea_level(z, U, V, courant=_COURANT),
        ),
        z,
    )


def _split_advection(
    axes: dict[str, kernels.Offset], extent: tuple[int, ...], dtype: str, uptake: int = 0
) -> ProxyKernel:
    """Return two calls of the report's split advection: parts A and B along u, then along v.

    Args:
        axes: Where the velocities point.
        extent: Cells of the whole domain.
        dtype: Element type of the fields.
        uptake: Iterations of a local process after each call; 0 for none.
    """
    grid = hc.Grid(extent, periodic=True)
    fields = {name: grid.field(name, dtype=dtype) for name in ("T", "new", "u", "v", "h", "flux")}
    _set_flow(fields, axes)
    tracer, new = fields["T"], fields["new"]
    steps: list[Any] = []
    for name in "uv":
        steps += _advect(tracer, fields, axes, name)
        if uptake:
            call = kernels.take_up(tracer, new, rate=_UPTAKE, iterations=uptake)
            steps += [call, hc.swap(tracer, new)]
    return ProxyKernel(grid, tuple(steps), tracer)


def _set_flow(fields: dict[str, Field], axes: dict[str, kernels.Offset]) -> None:
    along_u, along_v = (axes[name].index(1) for name in "uv")

    def tracer(*place: Any) -> Any:
        wave = np.sin(0.2 * place[along_u]) * np.cos(0.3 * place[along_v])
        return 10.0 + wave + 0.0 * sum(place)

    fields["T"].set(tracer)
    # Each the same along its own axis: what flows into a cell flows out of it, for any steps.
    fields["u"].set(lambda *place: 0.5 * np.sin(0.4 * place[along_v]) + 0.0 * sum(place))
    fields["v"].set(lambda *place: 0.5 * np.cos(0.4 * place[along_u]) + 0.0 * sum(place))
    fields["h"].set(1.0)
    grid = fields["T"].grid
    fields["water"] = grid.field("water", dtype="uint8")
    fields["water"].set(1)


def macro_step(extent: tuple[int, ...], dtype: str) -> ProxyKernel:
    """Return what a macro step of GETM communicates about: its 3-D routines, in its order."""
    grid = hc.Grid(extent, periodic=(True, True, False))
    names = ("T", "S", "new", "u", "v", "w", "nu", "h", "flux", "u_advection", "v_advection")
    fields = {name: grid.field(name, dtype=dtype) for name in names}
    for name in ("T", "S", "new", "u", "v", "w", "nu", "flux"):
        for side in ("z-", "z+"):
            fields[name].boundary(side, hc.Neumann(0.0))
    u, v, w, nu, new = (fields[name] for name in ("u", "v", "w", "nu", "new"))
    _set_flow(fields, _COLUMNS_LAST)
    fields["S"].set(30.0)
    along_u, along_v = (_COLUMNS_LAST[name] for name in "uv")
    of_u: dict[str, Any] = {"along": along_u, "across": along_v}
    of_v: dict[str, Any] = {"along": along_v, "across": along_u}
    steps = [
        kernels.momentum_3d(u, new, v, nu, coriolis=0.001, number=0.01, **of_u),
        hc.swap(u, new),
        kernels.momentum_3d(v, new, u, nu, coriolis=-0.001, number=0.01, **of_v),
        hc.swap(v, new),
        kernels.vertical_velocity(w, u, v, courant=_COURANT),
        kernels.advect_momentum(u, v, fields["u_advection"], **of_u),
        kernels.advect_momentum(v, u, fields["v_advection"], **of_v),
        kernels.mixing(nu, u, v),
    ]
    tracers = [fields["T"], fields["S"]]
    for tracer in tracers:
        steps += _advect(tracer, fields, _COLUMNS_LAST, "uvwvu")
    for tracer in tracers:
        steps += [kernels.diffuse_column(tracer, new, nu, number=0.1), hc.swap(tracer, new)]
    return ProxyKernel(grid, tuple(steps), fields["T"])


def _advect(
    tracer: Field, fields: dict[str, Field], axes: dict[str, kernels.Offset], order: str
) -> list[Any]:
    """Return fractional steps of a tracer along the axes of u, v and w, in an order of these."""
    new, flux, h = (fields[name] for name in ("new", "flux", "h"))
    steps: list[Any] = []
    for name in order:
        velocity = fields[name]
        call: dict[str, Any] = {"along": axes[name], "courant": _COURANT}
        steps.append(kernels.interface(tracer, velocity, flux, **call))
        # No land lies above or below: the vertical kernel has no mask.
        if name == "w":
            steps.append(kernels.advance_vertically(tracer, new, flux, velocity, h, **call))
        else:
            steps.append(kernels.advance(tracer, new, flux, velocity, h, fields["water"], **call))
        steps.append(hc.swap(tracer, new))
    return steps


def ocean(extent: tuple[int, ...], dtype: str, *, is_deep: bool) -> ProxyKernel:
    """Return a macro step of the ocean model in the report's box: one mode, or both."""
    model = make_box(extent, dtype, layers=extent[2] if is_deep else 0)
    return ProxyKernel(
        model.grid, model.steps, model.zeta, 1 if is_deep else MICRO_STEPS, first_steps=4
    )


PROXY_KERNELS: dict[str, Callable[[tuple[int, ...], str], ProxyKernel]] = {
    "d3q19": partial(_lattice, "D3Q19"),
    "d2q9": partial(_lattice, "D2Q9"),
    "d2q9-apart": lattice_apart,
    "flow": _flow,
    "flow-in-place": partial(_flow, streaming="in-place"),
    "cavity": partial(_flow, is_cavity=True),
    "micro-step": micro_step,
    "split-advection": partial(_split_advection, _COLUMNS_LAST),
    "split-advection-columns": partial(_split_advection, _COLUMNS_FIRST),
    "split-advection-uptake": partial(_split_advection, _COLUMNS_FIRST, uptake=16),
    "macro-step": macro_step,
    "ocean-2d": partial(ocean, is_deep=False),
    "ocean-3d": partial(ocean, is_deep=True),
}
