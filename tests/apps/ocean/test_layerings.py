"""Layers whose shares of the depth differ from column to column."""

from __future__ import annotations

import numpy as np
import pytest
from basins import Run, flat
from msgspec.structs import replace
from small_oceans import LAYERED
from test_layers import sloshing
from test_pressure_gradient import at_rest, push, rough

import halocline as hc
from halocline.apps.ocean.model import make_model
from halocline.apps.ocean.setup.levels import BlendedSigma, SLevels, ZLevels
from halocline.apps.ocean.setup.setup import Setup
from halocline.apps.ocean.setup.sigma import Sigma
from halocline.apps.ocean.setup.tracers import Tracer
from halocline.errors import CaseError

# Of the sea in 'sloshing', which has six layers and flats that dry.
KINDS = {
    "blended": BlendedSigma(6, 0.5, 2.0, even_depth=5.0),
    "s-levels": SLevels(6, 2.0, 6.0, even_depth=5.0),
    "z-levels": ZLevels((1.0, 2.5, 4.0, 6.0, 9.0), 0.2),
}
by_kind = pytest.mark.parametrize("kind", KINDS)


@pytest.fixture(scope="module")
def run_over_flats():
    """Return a function that returns a run over flats that dry, made once."""
    runs = {}

    def run(kind):
        if kind not in runs:
            runs[kind] = Run(sloshing(closed_with_flats=True, layers=KINDS[kind])).steps(60)
        return runs[kind]

    return run


def test_s_levels_are_those_of_roms():
    """Heights of faces over the surface, by the formulas with h_c, theta_s and theta_b."""
    h_c, theta_s, theta_b, count, depth = 30.0, 5.0, 1.5, 8, 250.0
    heights = []
    for k in range(count + 1):
        s = (k - count) / count
        c = (1 - np.cosh(theta_s * s)) / (np.cosh(theta_s) - 1)
        c = (np.exp(theta_b * c) - 1) / (1 - np.exp(-theta_b))
        heights.append(depth * (h_c * s + depth * c) / (h_c + depth))
    found = depth * SLevels(count, theta_b, theta_s, h_c).fractions_in(depth)
    assert np.allclose(found, np.diff(heights), rtol=1e-12)
    assert np.allclose(SLevels(4, 0.0, 0.0, 1e-9).fractions_in(1.0) * 16, [7, 5, 3, 1])


def test_z_levels_lie_where_they_are_put_as_far_as_the_bed_lets_them():
    levels = ZLevels((5.0, 10.0, 20.0), 1.0)
    depths = np.array([40.0, 20.5, 12.0, 4.0, 2.0])
    expected = [[20, 10, 5, 5], [1, 9.5, 5, 5], [1, 1, 5, 5], [1, 1, 1, 1], [0.5] * 4]
    assert np.allclose(levels.fractions_in(depths) * depths[:, None], expected)


@pytest.mark.parametrize(("kept", "layer"), [("surface", -1), ("bed", 0)])
def test_blended_layers_keep_one_thickness(kept, layer):
    layers = BlendedSigma(10, 2.0, 2.0, even_depth=20.0, kept=kept)
    depths = np.array([5.0, 20.0, 35.0, 200.0])
    thickness = layers.fractions_in(depths) * depths[:, None]
    assert np.allclose(thickness[:, layer], [0.5, 2.0, 2.0, 2.0])
    assert np.allclose(thickness[:2], thickness[:2, :1])


def test_blended_layers_vanish_at_the_greatest_depth():
    layers = BlendedSigma(10, 2.0, 1.0, even_depth=20.0)
    deepest = layers.greatest_depth
    assert (
        layers.fractions_in(0.999 * deepest).min()
        > 0.0
        > layers.fractions_in(1.001 * deepest).min()
    )


@by_kind
def test_layers_fill_any_depth(kind):
    depths = np.geomspace(1e-3, 5e3, 200)
    if kind == "blended":
        depths = depths[depths < KINDS[kind].greatest_depth]
    fractions = KINDS[kind].fractions_in(depths)
    assert fractions.shape == (len(depths), 6)
    assert fractions.min() > 0.0
    assert np.abs(fractions.sum(axis=-1) - 1.0).max() < 1e-14


@by_kind
def test_transports_of_layers_add_up_and_nothing_passes_the_surface(kind, run_over_flats):
    run = run_over_flats(kind)
    layers, wet = run.model.layers, run.setup.domain.is_wet
    p, q = (layers.columns[axis].transport.gather() for axis in ("x", "y"))
    for axis, flow in (("x", p), ("y", q)):
        mean = layers.columns[axis].mean.gather()
        assert np.abs(mean).max() > 0.1
        assert np.abs(flow.sum(axis=2) - mean).max() < 1e-12 * np.abs(mean).max()
    dx, dy = run.setup.domain.spacing
    growth = (layers.after.gather() - layers.before.gather()) / run.setup.macro_step
    outflow = np.diff(p, axis=0) / dx + np.diff(q, axis=1) / dy
    highest = layers.fractions[..., -1]
    through = layers.w.gather()[..., -2] - growth * highest - outflow[..., -1]
    assert np.abs(layers.w.gather()).max() > 1e-4
    assert np.abs(through[wet]).max() < 1e-12


@by_kind
def test_a_constant_stays_where_water_comes_and_goes_and_extremes_do_not_grow(kind, run_over_flats):
    run = run_over_flats(kind)
    wet = run.setup.domain.is_wet
    temperature, salinity = (tracer.gather()[wet] for tracer in run.model.layers.tracers)
    assert np.abs(salinity - 35.0).max() < 1e-11
    first = Run(run.setup).model.layers.tracers[0].gather()[wet]
    assert first.min() - 1e-10 <= temperature.min() <= temperature.max() <= first.max() + 1e-10


@by_kind
def test_the_content_of_a_closed_basin_does_not_change(kind):
    run = Run(sloshing(layers=KINDS[kind])).steps(1)
    wet = run.setup.domain.is_wet

    def content():
        layers = run.model.layers
        thickness = layers.after.gather()[..., None] * layers.fractions
        return float(np.sum((thickness * layers.tracers[0].gather())[wet]))

    first, volume, before = content(), run.volume, run.model.layers.tracers[0].gather()
    run.steps(60)
    assert np.abs(run.model.layers.tracers[0].gather() - before).max() > 0.1
    assert abs(content() / first - 1) < 1e-13
    assert abs(run.volume / volume - 1) < 1e-13


@by_kind
def test_layers_carry_passive_tracers(kind):
    """A constant stays, mud that sinks keeps its content, and sources see where layers lie."""
    tracers = (
        Tracer("even", 1.0),
        Tracer("mud", lambda x, y, z: 1.0 + 0.1 * np.sin(x / 900.0) + 0.0 * y * z, settling=1e-3),
        Tracer("place", 0.0, source=lambda depth, thickness: depth * 1e-3 + thickness),
    )
    run = Run(sloshing(layers=KINDS[kind], tracers=tracers, scheme="UPSTREAM")).steps(1)
    layers, wet = run.model.layers, run.setup.domain.is_wet
    whole = layers.after.gather()[..., None]
    middles = whole * (1.0 - layers.below_middles)
    grown = run.setup.macro_step * (1e-3 * middles + whole * layers.fractions)
    # The flow of a step has carried none of it: sources are the last but mixing.
    content, expected = (
        float((whole * layers.fractions * values)[wet].sum())
        for values in (layers.tracers_by_name["place"].gather(), grown)
    )
    assert content == pytest.approx(expected, rel=1e-12)

    def content_of_mud():
        thickness = layers.after.gather()[..., None] * layers.fractions
        return float((thickness * layers.tracers_by_name["mud"].gather())[wet].sum())

    before = content_of_mud()
    run.steps(30)
    assert content_of_mud() == pytest.approx(before, rel=1e-12)
    even = layers.tracers_by_name["even"].gather()[wet]
    assert np.abs(even - 1.0).max() < 1e-11


@by_kind
def test_a_density_linear_in_the_height_drives_nothing_over_any_bed(kind):
    found = push(Run(rough(at_rest, layers=KINDS[kind])))
    assert max(np.abs(values).max() for values, _ in found.values()) < 1e-16


def test_layers_of_columns_of_one_depth_are_those_of_sigma():
    """Blended layers that are even give the bits of even sigma layers, though in other fields."""
    given = {"temperature": 10.0, "stress": (1e-4, 0.0)}
    both = [
        Run(Setup(flat(8, 6, 500.0, 10.0), 10.0, 6, layers=sigma, **given)).steps(20)
        for sigma in (Sigma(4), BlendedSigma(4, zoom_surface=2.0, even_depth=10.0))
    ]
    found = [run.model.layers.columns["x"].transport.gather() for run in both]
    assert np.abs(found[0]).max() > 1e-3
    assert np.abs(found[0] - found[1]).max() < 1e-13


def test_layers_that_differ_need_no_more_messages():
    """Their shares of the depth are sent once, before the first step."""
    messages = []
    for sigma in (Sigma(5), ZLevels((1.0, 2.0, 4.0, 7.0), 0.2)):
        model = make_model(replace(LAYERED["layers"], layers=sigma))
        plan = hc.plan_for(model.grid, model.steps, ranks=4)
        messages.append(str(plan).count("start   exchange"))
    assert messages[0] == messages[1] > 10


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: SLevels(1), "'count' was given 1; expected"),
        (lambda: SLevels(5, zoom_surface=-1.0), "'zoom_surface' was given -1.0; expected"),
        (lambda: SLevels(5, even_depth=0.0), "'even_depth' was given 0.0; expected"),
        (lambda: Sigma(5, zoom_bed=-1.0), "'zoom_bed' was given -1.0; expected"),
        (lambda: BlendedSigma(5), "no thinner than even layers; expected a larger zoom there"),
        (lambda: BlendedSigma(5, zoom_surface=1.0, kept="top"), "'kept' was given 'top'; expected"),
        (lambda: ZLevels(()), "'depths' was given (); expected numbers, at least one"),
        (lambda: ZLevels(("a",)), "'depths' was given ('a',); expected numbers"),
        (lambda: ZLevels((5.0, 4.0)), "'depths' has 4 m at position 1; expected depths that grow"),
        (lambda: ZLevels((-5.0, 4.0)), "'depths' has -5 m at position 0; expected depths that"),
        (lambda: ZLevels((5.0, 5.2)), "the layer above the level at 5.2 m is 0.2 m thick"),
        (lambda: ZLevels((5.0,), 0.0), "'thinnest' was given 0.0; expected"),
    ],
)
def test_layers_that_cannot_be_are_refused(make, message):
    with pytest.raises(CaseError) as error:
        make()
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("sigma", "message"),
    [
        (ZLevels((6.0, 12.0), 5.0), "but 3 such layers fill the deepest water, 10 m; expected"),
        (BlendedSigma(10, 2.0, 1.0, even_depth=2.0), "The water is 10 m deep, but from"),
        ("sigma", "'layers' was given 'sigma'; expected layers, as Sigma(10)"),
    ],
)
def test_layers_that_have_no_place_in_the_water_are_refused(sigma, message):
    with pytest.raises(CaseError) as error:
        Setup(flat(4, 4, 1e3, 10.0), 10.0, layers=sigma)
    assert message in str(error.value)
