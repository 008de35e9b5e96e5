"""Oceans in single precision: nothing of them is stored, read or computed in double."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from small_oceans import SETUPS

from halocline.apps.ocean.model import make_model
from halocline.apps.ocean.setup.sigma import Sigma


@pytest.mark.parametrize("layers", [0, 3])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_all_numbers_of_an_ocean_on_a_sphere_have_its_type(dtype, layers):
    deep = {"layers": Sigma(layers), "temperature": 10.0} if layers else {}
    model = make_model(replace(SETUPS["on a sphere"], dtype=dtype, **deep))
    types = {field.dtype for field in model.grid.fields.values()}
    assert types - {"bool", "int8"} == {dtype}
    assert model.metric.dx.dtype == model.metric.dx_v.dtype == dtype
