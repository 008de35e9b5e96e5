"""What all cases of flows promise: the same bits on any ranks, either streaming, any restart."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from apps.flow_cases_on_ranks import NAMES, bits, bits_here, streaming_on
from flows import run
from many_ranks import in_turn, mpi, virtual

from halocline.apps.cases import case_file, read_case
from halocline.apps.lbm.cases.cavity import LidCavity
from halocline.apps.lbm.cases.taylor_green import TaylorGreen
from halocline.errors import CaseError


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> str:
    folder = tmp_path_factory.mktemp("flows")
    solid = np.zeros((10, 9), bool)
    solid[3:6, 4:7] = True
    np.save(folder / "sample.npy", solid)
    return str(folder)


@pytest.fixture(scope="module")
def alone(folder):
    """What a case comes to in one process."""
    return cache(lambda name, streaming: bits(name, folder, streaming))


@pytest.mark.parametrize(("ranks", "name"), in_turn((virtual(3), mpi(2), virtual(2)), NAMES))
def test_ranks_give_the_same_bits(ranks, name, alone, folder):
    assert ranks(bits_here, name, folder) == alone(name, streaming_on(name, ranks.size))


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("ranks", [virtual(2), mpi(2)], ids=str)
def test_emulated_devices_give_the_same_bits(ranks, name, alone, folder):
    assert ranks(bits_here, name, folder, "emulated:1") == alone(name, streaming_on(name, 2))


@pytest.mark.parametrize("name", NAMES)
def test_both_streamings_give_the_same_bits(name, alone):
    assert alone(name, "two-grids") == alone(name, "in-place")


def test_a_case_file_repeats_a_flow(tmp_path: Path):
    case = TaylorGreen(
        cells=24, reynolds=30.0, smagorinsky_constant=0.1, collision="bgk", streaming="in-place"
    )
    path = tmp_path / "again.toml"
    path.write_text(case_file(case, {}))
    assert read_case(str(path), {})[0] == case


@pytest.mark.parametrize(
    ("name", "given", "message"),
    [
        ("channel", {"dimensions": 4}, "'dimensions' was given 4; expected one of: 2, 3."),
        (
            "channel",
            {"driving": "inlett"},
            "'driving' was given 'inlett'; expected one of: force, pressure-drop, inlet.",
        ),
        ("channel", {"aspect": 0.0}, "'aspect' was given 0.0; expected a number above 0."),
        ("channel", {"aspect": float("inf")}, "'aspect' was given inf; expected a number above 0."),
        (
            "oscillating-channel",
            {"womersley": 2000.0},
            "expected a number above 0 and at most",
        ),
        (
            "oscillating-channel",
            {"womersley": 100.0},
            "1 lattice steps; expected at least 6",
        ),
        (
            "oscillating-channel",
            {"womersley": 0.0},
            "'womersley' was given 0.0; expected a number above 0 and at most 1000.",
        ),
        ("duct", {"aspect": 0.5}, "'aspect' was given 0.5; expected a number of at least 1."),
        ("taylor-green", {"dimensions": 1}, "'dimensions' was given 1; expected one of: 2, 3."),
        (
            "taylor-green",
            {"convective_times": 0.0},
            "'convective_times' was given 0.0; expected a number above 0.",
        ),
        (
            "shear-layer",
            {"perturbation": 1.0},
            "'perturbation' was given 1.0; expected a number of at least 0 and below 1.",
        ),
        (
            "taylor-green",
            {"lattice": "D3Q15"},
            "Collision 'central' was asked for on D3Q15; it is known on D2Q9 and D3Q19 and D3Q27.",
        ),
        (
            "cylinder",
            {"outlet": "open"},
            "'outlet' was given 'open'; expected one of: outflow, pressure.",
        ),
        ("cylinder", {"sides": "free-slip"}, "A parabola was asked for where there are no two"),
        ("cylinder", {"below": 0.4}, "'below' was given 0.4; expected a number of at least 1."),
        ("porous", {}, "A porous sample needs a file of its solid cells. Add --geometry FILE."),
    ],
)
def test_what_cannot_be_computed_is_refused(name, given, message):
    with pytest.raises(CaseError) as error:
        read_case(name, given)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("collision", "dimensions"),
    [("mrt", 2), ("regularised", 2), ("central", 2), ("mrt", 3), ("central", 3), ("cumulant", 3)],
)
def test_the_cavity_knows_all_collisions(collision, dimensions):
    case = LidCavity(cells=16, reynolds=100.0, dimensions=dimensions, collision=collision)
    result, variables = run(case)
    assert result.is_steady
    found = [d.maximum for d in result.compare(variables) if "converged" in d.source]
    assert max(found) < 0.025


@pytest.mark.slow
def test_mass_stays_in_a_closed_domain_for_1e5_steps(record):
    case = LidCavity(
        cells=24, reynolds=100.0, dimensions=2, tolerance=1e-300, max_convective_times=417
    )
    result, variables = run(case)
    density = next(v.values for v in variables if v.name == "density")
    off = abs(density.mean() - 1.0)
    record("closed square, 1e5 steps", "mass, relative", "conservation", off, 1e-12, result.seconds)
    assert result.steps >= 100_000
    assert off <= 1e-12
