"""What the coordinates of an ocean mean, in the words of CF conventions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from halocline.apps.ocean.numerics.metric import EARTH_RADIUS
from halocline.io.axis import Axis
from halocline.io.variable import Variable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from halocline.apps.ocean.model import Model
    from halocline.apps.ocean.setup.domain import Domain
    from halocline.io.axis import Axes


def axes_of(model: Model) -> Axes:
    """Return the axes of the grid: a plane or longitude and latitude, and layers if there are any.

    Axes of a curvilinear grid count cells; constants say where these are.

    Heights of sigma layers are shares of the depth: -1 at the bed, 0 at the surface. Other layers
    are even along the axis; 'layer_share' says where they lie.
    """
    if model.setup.domain.curvilinear is not None:
        axes = {letter: Axis(description=f"number of cells along {letter}") for letter in "xy"}
    elif model.setup.domain.is_spherical:
        axes = {
            "x": Axis("degrees_east", "longitude", "longitude"),
            "y": Axis("degrees_north", "latitude", "latitude"),
        }
    else:
        axes = {"x": Axis("m"), "y": Axis("m")}
    if model.layers is not None and model.layers.fractions.ndim > 1:
        axes["z"] = Axis(description="layers, from 0 at the bed to 1 at the surface", positive="up")
    elif model.layers is not None:
        axes["z"] = Axis(
            description="sigma: height over the surface, in depths of the water",
            standard_name="ocean_sigma_coordinate",
            positive="up",
            terms={"eta": "zeta", "depth": "depth"},
            computed_standard_name="altitude",
            faces=model.layers.below_faces - 1.0,
        )
    return axes


def depth_of(model: Model) -> Variable:
    """Return the depth below the mean level, missing (NaN) on land."""
    return Variable(
        "depth",
        model.setup.domain.depth,
        "m",
        "depth of the bed below the geoid, positive downwards",
        axes="xy",
        standard_name="sea_floor_depth_below_geoid",
    )


def constants_of(model: Model) -> tuple[Variable, ...]:
    """Return what files have once: depth, mask, f, and what places cells on the earth."""
    domain = model.setup.domain
    f = np.broadcast_to(domain.coriolis(), domain.extent)
    return (
        depth_of(model),
        Variable(
            "mask",
            domain.is_wet.astype(np.int8),
            "1",
            "1 in cells that are or may become wet, 0 on land",
            axes="xy",
            standard_name="sea_binary_mask",
        ),
        Variable(
            "coriolis",
            np.where(domain.is_wet, f, np.nan),
            "s-1",
            "Coriolis parameter",
            axes="xy",
            standard_name="coriolis_parameter",
        ),
        *_places(domain),
        *_rotation_of(domain),
        *_share_of(model),
    )


def _places(domain: Domain) -> tuple[Variable, ...]:
    """Return the sphere's shape, or the longitudes and latitudes of a plane's cells, if known."""
    if domain.is_spherical:
        sphere: dict[str, str | float] = {
            "grid_mapping_name": "latitude_longitude",
            "earth_radius": EARTH_RADIUS,
        }
        shape = np.array(0, np.int32)
        return (Variable("crs", shape, "", "shape of the earth", axes="", attributes=sphere),)
    if domain.places is None:
        return _places_in_plane(domain)
    names = ("longitude", "latitude")
    units = ("degrees_east", "degrees_north")
    grid = domain.curvilinear
    return tuple(
        Variable(
            name[:3],
            values,
            unit,
            name,
            axes="xy",
            standard_name=name,
            is_coordinate=True,
            corners=None if grid is None else _around_cells(getattr(grid, name)),
        )
        for name, values, unit in zip(names, domain.places, units, strict=True)
    )


def _around_cells(corners: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the values at the corners of each cell, counterclockwise (nx, ny, 4)."""
    low, high = slice(None, -1), slice(1, None)
    places = ((low, low), (high, low), (high, high), (low, high))
    return np.stack([corners[place] for place in places], axis=-1)


def _places_in_plane(domain: Domain) -> tuple[Variable, ...]:
    """Return where the cells of a curvilinear grid are that knows no longitudes."""
    if domain.curvilinear is None:
        return ()
    return tuple(
        Variable(
            f"plane_{letter}",
            values,
            "m",
            f"{letter} of the middles of cells",
            axes="xy",
            standard_name=f"projection_{letter}_coordinate",
            is_coordinate=True,
            corners=_around_cells(getattr(domain.curvilinear, letter)),
        )
        for letter, values in zip("xy", domain.middles, strict=True)
    )


def _rotation_of(domain: Domain) -> tuple[Variable, ...]:
    """Return the direction of x of a grid that is turned against east."""
    if domain.angle is None or not domain.knows_east:
        return ()
    return (
        Variable(
            "rotation",
            np.broadcast_to(np.degrees(domain.angle), domain.extent),
            "degree",
            "angle from east to the direction of x, counterclockwise",
            axes="xy",
            standard_name="angle_of_rotation_from_east_to_x",
        ),
    )


def _share_of(model: Model) -> tuple[Variable, ...]:
    """Return where the middles of layers are, if their shares of the depth are not an axis."""
    if model.layers is None or model.layers.fractions.ndim == 1:
        return ()
    is_wet = model.setup.domain.is_wet[..., np.newaxis]
    share = np.where(is_wet, model.layers.below_middles - 1.0, np.nan)
    text = "height of layers over the surface, in depths of the water"
    return (Variable("layer_share", share, "1", text, axes="xyz"),)


def velocity_names(model: Model) -> tuple[str, str]:
    """Return what CF calls velocities of cells: 'eastward…' if east is known, else '…_x_…'."""
    if model.setup.domain.knows_east:
        return "eastward_sea_water_velocity", "northward_sea_water_velocity"
    return "sea_water_x_velocity", "sea_water_y_velocity"
