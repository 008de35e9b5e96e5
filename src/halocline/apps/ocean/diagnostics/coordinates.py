"""What the coordinates of an ocean mean, in the words of CF conventions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halocline.io.axis import Axis
from halocline.io.variable import Variable

if TYPE_CHECKING:
    from halocline.apps.ocean.model import Model
    from halocline.io.axis import Axes


def axes_of(model: Model) -> Axes:
    """Return the axes of the grid: a plane or longitude and latitude, and layers if there are any.

    Heights of layers are shares of the depth: -1 at the bed, 0 at the surface.
    """
    if model.setup.domain.is_spherical:
        axes = {
            "x": Axis("degrees_east", "longitude", "longitude"),
            "y": Axis("degrees_north", "latitude", "latitude"),
        }
    else:
        axes = {"x": Axis("m"), "y": Axis("m")}
    if model.layers is not None:
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


def velocity_names(model: Model) -> tuple[str, str]:
    """Return what CF calls velocities along x and y: 'eastward…' on a sphere, else '…_x_…'."""
    if model.setup.domain.is_spherical:
        return "eastward_sea_water_velocity", "northward_sea_water_velocity"
    return "sea_water_x_velocity", "sea_water_y_velocity"
