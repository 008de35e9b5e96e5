"""Fluxes between air and water: published values, mpmath, conserved heat, and what is refused."""

from __future__ import annotations

from datetime import datetime

import numpy as np
import pytest
from basins import DEEP, Run, flat
from msgspec.structs import replace

import halocline as hc
from halocline.apps.ocean.physics.bulk_formulae import Air, turbulent_fluxes
from halocline.apps.ocean.physics.radiation import (
    Place,
    back_radiation,
    long_wave_balance,
    payne_albedo,
    sun_at,
    sunlight,
)
from halocline.apps.ocean.setup.atmosphere import Atmosphere
from halocline.apps.ocean.setup.setup import Setup
from halocline.apps.ocean.setup.sigma import Sigma
from halocline.errors import CaseError

mpmath = pytest.importorskip("mpmath", reason="mpmath, which knows all digits, is not installed")

# Moana Wave, TOGA-COARE 1992: wind [m/s], air temperature [degC], humidity [g/kg], in 15 m; then
# the skin temperature [degC], sensible and latent heat [W/m²] and stress [N/m²] that COARE 3.0b
# finds. Source: test3_0.txt and tst3_0bf.out of NOAA's COARE 3.0 (Fairall et al. 2003), hours 1, 6,
# 7, 28, 34, 37, 45, 49, 63, 79.
PUBLISHED = """
4.7 27.7 17.6 28.72  6.12 114.11 0.02876
5.1 27.3 17.6 28.70  9.58 123.08 0.03449
2.5 27.5 17.9 28.69  4.65  68.76 0.00895
2.7 28.0 18.7 28.87  3.33  64.34 0.00995
0.8 28.0 18.4 28.89  1.69  33.54 0.00145
7.9 25.4 18.2 28.95 38.52 175.98 0.09196
9.9 24.7 17.7 28.84 55.16 226.11 0.15300
3.3 27.2 16.1 28.71  7.72 112.47 0.01519
1.4 27.4 17.9 29.26  5.69  57.57 0.00364
1.4 28.1 18.0 29.03  2.40  49.85 0.00340
"""


def test_coare_has_the_fluxes_that_its_authors_published():
    u, t, q, sea, sensible, latent, stress = np.array(PUBLISHED.split(), float).reshape(-1, 7).T
    found = turbulent_fluxes(sea, Air(u, 0.0 * u, t, 1e-3 * q, 100800.0, 15.0, 15.0), "coare")
    # Published skin temperatures have two digits, and their gravity is that at the equator.
    assert found.sensible == pytest.approx(sensible, rel=0.01, abs=0.06)
    assert found.latent == pytest.approx(latent, rel=0.005)
    assert found.stress_x == pytest.approx(stress, rel=0.005, abs=1e-5)
    assert not found.stress_y.any()


def moist(sea, t, q, p):
    """Return the density of air, the heat of evaporation and the difference of humidities."""
    vapour = mpmath.mpf("0.98") * (mpmath.mpf("1.0007") + mpmath.mpf("3.46e-6") * p / 100)
    vapour *= mpmath.mpf("6.1121") * mpmath.exp(
        mpmath.mpf("17.502") * sea / (mpmath.mpf("240.97") + sea)
    )
    saturated = mpmath.mpf("0.62197") * vapour / (p / 100 - mpmath.mpf("0.378") * vapour)
    kelvin = t + mpmath.mpf("273.15")
    density = p / (mpmath.mpf("287.1") * kelvin * (1 + mpmath.mpf("0.61") * q))
    return density, (mpmath.mpf("2.501") - mpmath.mpf("0.00237") * sea) * 10**6, saturated - q


def kondo(wind, sea, t, q, p):
    """Return stress, sensible and latent heat of Kondo (1975), equations and table AI."""
    wind, sea, t, q, p = (mpmath.mpf(float(x)) for x in (wind, sea, t, q, p))
    table = (
        (2.2, ("0", "1.08", "0", "-0.15"), ("0", "1.185", "0", "-0.157"),
         ("0", "1.23", "0", "-0.16")),
        (5, ("0.771", "0.0858", "0", "1"), ("0.927", "0.0546", "0", "1"),
         ("0.969", "0.0521", "0", "1")),
        (8, ("0.867", "0.0667", "0", "1"), ("1.15", "0.01", "0", "1"), ("1.18", "0.01", "0", "1")),
        (25, ("1.2", "0.025", "0", "1"), ("1.17", "0.0075", "-0.00045", "1"),
         ("1.196", "0.008", "-0.0004", "1")),
        (1e9, ("0", "0.073", "0", "1"), ("1.652", "-0.017", "0", "1"),
         ("1.68", "-0.016", "0", "1")),
    )  # fmt: skip
    row = next(numbers for end, *numbers in table if wind < end)
    s0 = (sea - t) / (4 * wind**2)
    s = s0 * abs(s0) / (abs(s0) + mpmath.mpf("0.01"))
    result = []
    for numbers, unstable in zip(row, ("0.47", "0.63", "0.63")):
        a, b, c, power = map(mpmath.mpf, numbers)
        neutral = (a + b * wind**power + c * (wind - 8) ** 2) / 1000
        factor = 1 + mpmath.mpf(unstable) * mpmath.sqrt(max(s, 0))
        if s < 0:
            factor = (1 + 3 * s / 10 + 9 * mpmath.exp(mpmath.mpf("4.8") * s)) / 10
            factor = mpmath.mpf(0) if s <= mpmath.mpf("-3.3") else factor
        result.append(neutral * factor)
    density, evaporation, wetter = moist(sea, t, q, p)
    drag, heat, vapour = result
    return (
        density * drag * wind**2,
        density * mpmath.mpf("1004.67") * heat * wind * (sea - t),
        density * evaporation * vapour * wind * wetter,
    )


def psi(z, wind_like):
    """Return the stability function of wind, or of temperature and humidity."""
    m, log, sqrt, atan, exp = mpmath.mpf, mpmath.log, mpmath.sqrt, mpmath.atan, mpmath.exp
    if z >= 0:
        main = 1 + z if wind_like else (1 + 2 * z / 3) ** m("1.5")
        c = min(m(50), m("0.35") * z)
        return -(main + m("0.6667") * (z - m("14.28")) * exp(-c) + m("8.525"))
    x = (1 - 15 * z) ** (m(1) / 4)
    if wind_like:
        kansas = 2 * log((1 + x) / 2) + log((1 + x**2) / 2) - 2 * atan(x) + 2 * atan(m(1))
    else:
        kansas = 2 * log((1 + x**2) / 2)
    y = (1 - m("10.15" if wind_like else "34.15") * z) ** (m(1) / 3)
    free = m(3) / 2 * log((1 + y + y**2) / 3) - sqrt(m(3)) * atan((1 + 2 * y) / sqrt(m(3)))
    free += 4 * atan(m(1)) / sqrt(m(3))
    f = z**2 / (1 + z**2)
    return (1 - f) * kansas + f * free


def coare(wind, sea, t, q, p):
    """Return stress, sensible and latent heat of COARE 3.0 (Fairall et al. 2003)."""
    u, sea, t, q, p = (mpmath.mpf(float(x)) for x in (wind, sea, t, q, p))
    m, log, sqrt, exp = mpmath.mpf, mpmath.log, mpmath.sqrt, mpmath.exp
    von, g, beta, depth, zu, zt = m("0.4"), m("9.81"), m("1.2"), 600, 10, 2
    density, evaporation, wetter = moist(sea, t, q, p)
    ta = t + m("273.15")
    dt = sea - t - m("0.0098") * zt
    nu = m("1.326e-5") * (1 + m("6.542e-3") * t + m("8.301e-6") * t**2 - m("4.84e-9") * t**3)
    s = sqrt(u**2 + m("0.25"))
    alpha = m("0.011") + m("0.007") * min(max((s - 10) / 8, 0), 1)
    us = m("0.035") * s * log(10 / m("1e-4")) / log(zu / m("1e-4"))
    z0 = m("0.011") * us**2 / g + m("0.11") * nu / us
    z0t = 10 / exp(von / (m("0.00115") / (von / log(10 / z0))))
    cc = von * (von / log(zt / z0t)) / (von / log(zu / z0)) ** 2
    rib = -g * zu * (dt + m("0.61") * ta * wetter) / (ta * s**2)
    if rib < 0:
        zeta = cc * rib / (1 + rib / (-zu / (depth * m("0.004") * beta**3)))
    else:
        zeta = cc * rib * (1 + 3 * rib / cc)
    us = s * von / (log(zu / z0) - psi(zeta, True))
    ts, qs = (-d * von / (log(zt / z0t) - psi(zeta * zt / zu, False)) for d in (dt, wetter))
    for _ in range(1 if zeta > 50 else 3):
        z0 = alpha * us**2 / g + m("0.11") * nu / us
        z0t = min(m("1.15e-4"), m("5.5e-5") / (z0 * us / nu) ** m("0.6"))
        per_length = von * g * (ts * (1 + m("0.61") * q) + m("0.61") * ta * qs)
        per_length /= ta * us**2 * (1 + m("0.61") * q)
        us = s * von / (log(zu / z0) - psi(zu * per_length, True))
        scale = von / (log(zt / z0t) - psi(zt * per_length, False))
        ts, qs = -dt * scale, -wetter * scale
        lifting = -g / ta * us * (ts + m("0.61") * ta * qs)
        gust = beta * (lifting * depth) ** (m(1) / 3) if lifting > 0 else m("0.2")
        s = sqrt(u**2 + gust**2)
    return (
        density * us**2 * u / s,
        -density * m("1004.67") * us * ts,
        -density * evaporation * us * qs,
    )


@pytest.mark.parametrize("formula", [kondo, coare], ids=["kondo", "coare"])
def test_turbulent_fluxes_are_those_of_the_papers(formula):
    rng = np.random.default_rng(3)
    wind = np.concatenate([rng.uniform(0.3, 35.0, 40), rng.uniform(0.3, 2.5, 20)])
    sea, q = rng.uniform(-1.0, 30.0, wind.size), rng.uniform(0.001, 0.02, wind.size)
    t, p = sea + rng.uniform(-12.0, 8.0, wind.size), rng.uniform(9.6e4, 1.04e5, wind.size)
    air = Air(0.6 * wind, -0.8 * wind, t, q, p)
    found = turbulent_fluxes(sea, air, formula.__name__)
    with mpmath.workdps(30):
        exact = [formula(*state) for state in zip(wind, sea, t, q, p)]
    stress, sensible, latent = np.array(exact, float).T
    stable = (sea < t).mean()
    assert 0.2 < stable < 0.8
    assert found.stress_x == pytest.approx(0.6 * stress, rel=1e-11, abs=1e-14)
    assert found.stress_y == pytest.approx(-0.8 * stress, rel=1e-11, abs=1e-14)
    assert found.sensible == pytest.approx(sensible, rel=1e-10, abs=1e-10)
    assert found.latent == pytest.approx(latent, rel=1e-10, abs=1e-10)


@pytest.mark.parametrize("formula", ["kondo", "coare"])
def test_air_without_wind_has_fluxes(formula):
    air = Air(np.zeros(3), np.zeros(3), np.array([10.0, 12.0, 14.0]), 0.006, 1e5)
    found = turbulent_fluxes(np.full(3, 12.0), air, formula)
    assert not found.stress_x.any()
    assert np.isfinite(found.sensible).all()
    assert found.sensible[0] > 1.0


@pytest.mark.parametrize("formula", ["clark", "hastenrath-lamb"])
def test_long_waves_are_those_of_the_papers(formula):
    sea, t, q, p, cloud, latitude = 18.0, 15.5, 0.0081, 101000.0, 0.6, -40.0
    found = back_radiation(sea, Air(0.0, 0.0, t, q, p), cloud, latitude, formula)
    with mpmath.workdps(30):
        sigma, kelvin = mpmath.mpf("5.67e-8"), mpmath.mpf("291.15")
        e = q * p / (mpmath.mpf("0.62197") + mpmath.mpf("0.378") * q)
        clear = mpmath.mpf("0.39") - mpmath.mpf("0.05") * mpmath.sqrt(e / 100)
        if formula != "clark":
            clear = mpmath.mpf("0.39") - mpmath.mpf("0.056") * mpmath.sqrt(1000 * mpmath.mpf(q))
        # At 40 degrees 0.6845 of the sky's square counts (Johnson et al. 1965).
        cover = 1 - mpmath.mpf("0.684520") * mpmath.mpf(cloud) ** 2
        exact = mpmath.mpf("0.97") * sigma * kelvin**3 * (kelvin * clear * cover + 4 * (sea - t))
    assert found == pytest.approx(float(exact), rel=1e-6)
    assert long_wave_balance(sea, 330.0) == pytest.approx(
        0.97 * (5.67e-8 * 291.15**4 - 330.0), rel=1e-12
    )


def test_sunlight_is_that_of_rosati_and_miyakoda():
    day, latitude, longitude, cloud = 172.4, 54.0, 7.0, 0.4
    found = sunlight(sun_at(day), Place(latitude, longitude), cloud)
    with mpmath.workdps(30):
        a = 2 * mpmath.pi * mpmath.mpf(day) / 365
        series = (
            (1, "-0.399912", "0.070257"),
            (2, "-0.006758", "0.000907"),
            (3, "-0.002697", "0.00148"),
        )
        declination = mpmath.mpf("0.006918")
        for n, cosine, sine in series:
            declination += mpmath.mpf(cosine) * mpmath.cos(n * a) + mpmath.mpf(sine) * mpmath.sin(
                n * a
            )
        phi = mpmath.radians(latitude)
        hour = mpmath.radians(15 * (24 * mpmath.mpf("0.4") - 12) + longitude)
        z = mpmath.sin(phi) * mpmath.sin(declination)
        z += mpmath.cos(phi) * mpmath.cos(declination) * mpmath.cos(hour)
        direct = 1350 * z * mpmath.mpf("0.7") ** (1 / z)
        total = direct + (mpmath.mpf("0.91") * 1350 * z - direct) / 2
        noon = mpmath.radians(mpmath.mpf("23.439")) * mpmath.sin(2 * mpmath.pi * (day - 81) / 365)
        beta = mpmath.asin(mpmath.sin(phi) * mpmath.sin(noon) + mpmath.cos(phi) * mpmath.cos(noon))
        factor = 1 - mpmath.mpf("0.62") * cloud + mpmath.mpf("0.0019") * mpmath.degrees(beta)
        exact = total * min(factor, 1)
    assert found == pytest.approx(float(exact), rel=1e-9)
    assert sunlight(sun_at(172.9), Place(latitude, longitude), 0.0) == 0.0


def test_the_albedo_is_payne_s_at_his_heights_of_the_sun_and_linear_in_between():
    # At the equator on the day of the equinox the hour angle is the zenith angle.
    days = np.linspace(80.0, 81.0, 20001)
    declination = np.arcsin(np.asarray(sun_at(days).declination[0]))
    day = np.floor(days[np.abs(declination).argmin()])
    angles = np.array([0.0, 35.0, 50.0, 72.0, 83.0, 89.0])
    found = [float(payne_albedo(sun_at(day + 0.5 + a / 360.0), Place(0.0, 0.0))) for a in angles]
    assert found == pytest.approx([0.034, 0.041, 0.054, 0.1475, 0.4325, 0.6875], abs=2e-3)


AIR = Atmosphere(
    (7.0, -3.0), 9.0, 0.006, 101000.0, 0.5, begin=datetime(2021, 1, 1), place=(54.0, 7.0)
)


def column(atmosphere, macro_step=60.0, **more):
    """Return water under an atmosphere."""
    given = {"temperature": 12.0, "layers": Sigma(8, 0.0, 2.0), "turbulence": "constant", **more}
    domain = flat(2, 2, 1e4, 30.0, periodic=(True, True))
    return Setup(domain, macro_step, 1, atmosphere=atmosphere, check_cfl=False, **given, **DEEP)


@pytest.mark.parametrize("formula", ["kondo", "coare"])
def test_the_model_has_the_fluxes_of_its_surface(formula):
    run = Run(
        column(replace(AIR, formula=formula, evaporates=True, begin=datetime(2021, 6, 21, 12)))
    ).steps(5)
    volume = run.volume
    before = run.model.layers.tracers[0].gather()[0, 0, -1]
    run.steps(1)
    forcing = run.model.forcing
    with mpmath.workdps(30):
        law = kondo if formula == "kondo" else coare
        stress, sensible, latent = law(np.hypot(7.0, 3.0), before, 9.0, 0.006, 101000.0)
    leaving = back_radiation(before, Air(7.0, -3.0, 9.0, 0.006, 101000.0), 0.5, 54.0, "clark")
    exact = -float(sensible + latent) - leaving
    assert forcing.heat_flux.gather()[0, 0] == pytest.approx(exact, rel=1e-9)
    lost = float(latent / moist(before, 9.0, 0.006, 101000.0)[1] / 1000)
    assert forcing.rain.gather()[0, 0] == pytest.approx(-lost, rel=1e-9)
    assert run.volume - volume == pytest.approx(-lost * 60.0 * 4, rel=1e-5)
    along_x = float(stress) / 1025.0 * 7.0 / np.hypot(7.0, 3.0)
    assert forcing.wind["x"].gather()[0, 0] == pytest.approx(along_x, rel=1e-10)
    sun, place = sun_at(172.5 + 5.0 / 1440.0), Place(54.0, 7.0)
    light = (1.0 - payne_albedo(sun, place)) * sunlight(sun, place, 0.5)
    assert forcing.sunlight.gather()[0, 0] == pytest.approx(float(light), rel=1e-9)


@pytest.mark.parametrize(
    "days", [pytest.param(365, marks=pytest.mark.slow), 3], ids=["year", "days"]
)
def test_a_column_that_is_cooled_and_heated_conserves_heat(days):
    hours = np.arange(0.0, 366.0 * 24.0, 6.0)
    season = np.cos(2.0 * np.pi * hours / 8766.0)
    warmth = hc.Series(3600.0 * hours, 10.0 - 8.0 * season + 2.0 * np.sin(hours))
    wind = hc.Series(3600.0 * hours, 6.0 + 5.0 * np.cos(hours))
    setup = column(
        replace(AIR, wind=(wind, 2.0), temperature=warmth), 3600.0, turbulence="k-epsilon"
    )
    run = Run(setup)
    temperature, forcing = run.model.layers.tracers[0], run.model.forcing
    fractions = 30.0 * setup.layers.fractions

    @hc.kernel
    def add(total, heat, light, *, dt):
        total[...] = total + dt * (heat + light)

    total = run.model.surface.fields.surface("total")
    steps = (*run.model.steps, add(total, forcing.heat_flux, forcing.sunlight, dt=3600.0))
    simulation = hc.Simulation(run.model.grid, steps, dt=3600.0, threads=1)
    simulation.run(24 * days, progress=False)
    found = temperature.gather()[0, 0]
    stored = 1025.0 * 3985.0 * ((found - 12.0) * fractions).sum()
    entered = total.gather()[0, 0]
    assert abs(entered) > 1e6
    assert stored == pytest.approx(entered, abs=1e-10 * 1025.0 * 3985.0 * 12.0 * 30.0)
    assert -1.0 < found.min() < found.max() < 30.0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"begin": None}, "The atmosphere has no 'begin'; expected the date"),
        ({"place": None}, "over a Cartesian domain has no 'place'; expected the latitude"),
        ({"temperature": 282.0}, "The air temperature of the atmosphere is 282; expected"),
        ({"humidity": 6.0}, "The humidity of the atmosphere is 6; expected"),
        ({"pressure": 1010.0}, "The air pressure of the atmosphere is 1010; expected"),
        ({"cloud": 50.0}, "The cloud of the atmosphere is 50; expected"),
        ({"formula": "fairall"}, "'formula' was given 'fairall'"),
        ({"wind": 5.0}, "'wind' was given 5.0; expected two winds, along x and y"),
        ({"cloud": np.ones((3, 3))}, "'cloud' was given"),
        ({"wind": (hc.Series([0.0], [999.0]), 0.0)}, "The wind along x of the atmosphere is 999"),
    ],
)
def test_atmospheres_that_cannot_be(change, message):
    with pytest.raises(CaseError, match=message):
        column(replace(AIR, **change))


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"heat_flux": 10.0}, "'heat_flux' was given beside 'atmosphere', of which it follows"),
        ({"stress": (1e-4, 0.0)}, "'stress' was given beside 'atmosphere'"),
        (
            {"temperature": None, "salinity": 30.0},
            "'atmosphere' was given .* without a temperature",
        ),
    ],
)
def test_setups_that_do_not_go_with_an_atmosphere(more, message):
    with pytest.raises(CaseError, match=message):
        column(AIR, **more)
