"""The flow past obstacles against its published results, a NumPy program, and itself on ranks."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from apps import obstacle_flow_on_ranks
from errors.telling import message_of
from many_ranks import mpi, virtual

import halocline as hc
from halocline.errors import CaseError
from halocline_reproduction.obstacle_flow import LATTICE, ObstacleFlow
from halocline_reproduction.obstacle_flow_input import (
    published_grids,
    published_obstacles,
    published_parameters,
    read_obstacles,
)
from halocline_reproduction.obstacle_flow_kernels import accelerate, stream_collide
from halocline_reproduction.obstacle_flow_output import write_averages

PARAMETERS = "11\n9\n25\n10\n0.1\n0.005\n1.85\n"
OBSTACLES = "3 4 1\n3 5 1\n10 0 1\n3 4 1\n0 7 1\n"


@cache
def run(case: ObstacleFlow):
    case.check()
    problem = case.problem()
    simulation = hc.Simulation(problem.grid, problem.steps)
    result = case.run(simulation, problem, lambda _: None)
    mass = problem.integrals[0]
    simulation.execute(mass.reduction)
    return result, result.variables(), mass.value


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    """Return the paths of a parameter file and an obstacle file of one's own."""
    texts = {"parameters": PARAMETERS, "obstacles": OBSTACLES}
    for name, text in texts.items():
        (tmp_path / f"my.{name}").write_text(text)
    return {name: str(tmp_path / f"my.{name}") for name in texts}


SHORT = {"128x128": 1000, "128x256": 500, "256x256": 500, "1024x1024": 20}


@pytest.mark.parametrize("grid", SHORT)
def test_average_velocities_are_those_published(grid):
    result, variables, _ = run(ObstacleFlow(grid, steps=SHORT[grid]))
    (found,) = result.deviations(variables)
    assert found.points == {1000: 11, 500: 10, 20: 6}[SHORT[grid]]
    assert found.relative < 1e-10


def test_average_velocities_in_single_precision_are_those_published():
    result, variables, _ = run(ObstacleFlow(steps=1000, dtype="float32"))
    (found,) = result.deviations(variables)
    assert found.relative < 1e-5


def test_mass_is_conserved():
    _, _, mass = run(ObstacleFlow(steps=1000))
    assert abs(mass - 1.0) < 1e-10


def numpy_step(f, solid, row, accel, omega):
    """Return populations after a step of the course's own definition, and the speeds."""
    velocities, weights = np.array(LATTICE.velocities), np.array(LATTICE.weights)
    full = f + weights[:, None, None]
    east = [i for i, c in enumerate(velocities) if c[0] == 1]
    west = [LATTICE.opposites[i] for i in east]
    free = ~solid[:, row]
    for i in west:
        free = free & (full[i, :, row] - weights[i] * accel > 0.0)
    for i, sign in [(i, 1) for i in east] + [(i, -1) for i in west]:
        full[i, :, row] += sign * weights[i] * accel * free
    here = np.array([np.roll(g, c, (0, 1)) for g, c in zip(full, velocities, strict=True)])
    density = here.sum(0)
    u = np.tensordot(velocities.T, here, 1) / density
    along = np.tensordot(velocities, u, 1)
    square = 1.5 * (u**2).sum(0)
    rest = weights[:, None, None] * density * (1.0 + 3.0 * along + 4.5 * along**2 - square)
    after = np.where(solid, here[list(LATTICE.opposites)], here + omega * (rest - here))
    return after - weights[:, None, None], np.where(solid, 0.0, np.hypot(*u))


def test_a_step_is_the_one_that_the_course_defines():
    random = np.random.default_rng(5)
    nx, ny, row, accel, omega = 12, 9, 7, 0.05, 1.7
    solid = random.random((nx, ny)) < 0.2
    # In some cells of the row a population is too small to be taken from.
    values = 1e-2 * random.standard_normal((len(LATTICE), nx, ny))
    values[6, ::3, row] = -LATTICE.weights[6] * (1.0 - accel / 2)
    grid = hc.Grid((nx, ny), periodic=True)
    f, f_next = (grid.field(name, components=len(LATTICE)) for name in ("f", "f_next"))
    push, speed, mask = (grid.field(name) for name in ("push", "speed", "mask"))
    f.set(values)
    mask.set(solid.astype(float))
    here = hc.Box((0, row), (nx, row + 1))
    simulation = hc.Simulation(
        grid,
        [
            accelerate(f, push, mask, velocity_set=LATTICE, accel=accel, on=here),
            stream_collide(f, f_next, speed, mask, velocity_set=LATTICE, omega=omega),
            hc.swap(f, f_next),
        ],
    )
    expected = values
    for _ in range(3):
        simulation.run(1, progress=False)
        expected, speeds = numpy_step(expected, solid, row, accel, omega)
        assert np.abs(f.gather() - expected).max() < 1e-14
        assert np.abs(speed.gather() - speeds).max() < 1e-14


def test_files_that_say_what_is_published_give_the_same_bits(tmp_path: Path):
    told = published_parameters("128x128")
    words = (told.nx, told.ny, told.iterations, told.reynolds_dim)
    numbers = (told.density, told.accel, told.omega)
    (tmp_path / "p").write_text("".join(f"{word}\n" for word in (*words, *numbers)))
    cells = np.argwhere(published_obstacles("128x128"))
    (tmp_path / "o").write_text("".join(f"{x} {y} 1\n" for x, y in [*cells, *cells[:9]]))
    files = {"parameters": str(tmp_path / "p"), "obstacles": str(tmp_path / "o")}
    mine, _, _ = run(ObstacleFlow(**files, steps=50))
    known, _, _ = run(ObstacleFlow(steps=50))
    assert mine.problem.averages == known.problem.averages


def test_ranks_give_the_same_bits(files):
    folder = str(Path(files["parameters"]).parent)
    one, *others = (
        ranks(obstacle_flow_on_ranks.bits, folder)
        for ranks in (virtual(1), mpi(2), virtual(3), virtual(4))
    )
    assert len(one) == 3
    assert others == [one] * 3


def test_the_published_obstacles_leave_the_published_number_of_fluid_cells():
    fluid = [int((~published_obstacles(grid)).sum()) for grid in published_grids()]
    assert fluid == [15876, 32130, 64516, 1043462]


def test_a_run_in_two_parts_has_the_same_bits_and_is_compared_where_it_goes_on():
    whole, _, _ = run(ObstacleFlow(steps=50))
    case = ObstacleFlow(steps=50)
    problem = case.problem()
    simulation = hc.Simulation(problem.grid, problem.steps)
    simulation.run(30, progress=False)
    problem.averages.clear()
    result = case.run(simulation, problem, lambda _: None)
    assert problem.averages == whole.problem.averages[30:]
    assert result.deviations(())[0].points == 1
    assert result.deviations(())[0].relative < 1e-10
    again = case.run(simulation, problem, lambda _: None)
    problem.averages.clear()
    assert again.findings(()) == "Nothing is published of these steps."
    with pytest.raises(CaseError, match="50 steps have been done, but 49 were asked for"):
        ObstacleFlow(steps=49).run(simulation, problem, lambda _: None)


def test_quantities_on_the_way_are_those_of_the_end(files):
    result, _, _ = run(ObstacleFlow(**files))
    state = {quantity.name: quantity for quantity in result.problem.quantities}
    speed = np.hypot(*(state[f"u_{axis}"].gather().values for axis in "xy"))
    assert np.abs(speed - state["speed"].gather().values).max() < 1e-15
    assert [i.name for i in result.problem.integrals] == ["mass", "average_velocity"]


def test_a_short_run_is_compared_where_it_has_come_to():
    result, variables, _ = run(ObstacleFlow(steps=50))
    assert "average velocity: " in result.findings(variables)
    assert "(7 points)" in result.findings(variables)
    assert "published 9.76" not in result.findings(variables)


def test_a_flow_of_ones_own_is_run_and_compared_with_nothing(files):
    result, variables, _ = run(ObstacleFlow(**files))
    assert len(result.problem.averages) == 25
    assert result.findings(variables).startswith("Nothing is published")
    pressure = next(v.values for v in variables if v.name == "pressure")
    assert pressure[3, 4] == pytest.approx(0.1 / 3.0, rel=1e-15)
    assert "11 x 9 cells, 4 of them obstacles, 25 steps" in result.case.describe()


def test_texts_are_in_the_courses_format(files, tmp_path: Path):
    result, variables, _ = run(ObstacleFlow(**files))
    written = result.pictures(variables)
    for name in ("av_vels.dat", "final_state.dat"):
        written[name](tmp_path / name)
    lines = (tmp_path / "av_vels.dat").read_text().splitlines()
    assert len(lines) == 25
    assert lines[24] == f"24:\t{result.problem.averages[24]:.12E}"
    cells = [line.split() for line in (tmp_path / "final_state.dat").read_text().splitlines()]
    state = {variable.name: variable.values for variable in variables}
    assert len(cells) == 11 * 9
    assert cells[4 * 11 + 3][:2] == ["3", "4"]
    assert cells[4 * 11 + 3][6] == "1"
    for column, name in enumerate(("u_x", "u_y", "speed", "pressure"), 2):
        assert float(cells[7 * 11 + 5][column]) == pytest.approx(state[name][5, 7], rel=1e-11)


def test_averages_of_a_run_that_goes_on_follow_those_before(tmp_path: Path):
    path = tmp_path / "av_vels.dat"
    write_averages([0.5, 0.25, 9.0], 0, path)
    write_averages([0.125], 2, path)
    assert path.read_text() == (
        "0:\t5.000000000000E-01\n1:\t2.500000000000E-01\n2:\t1.250000000000E-01\n"
    )
    write_averages([0.125], 2, tmp_path / "elsewhere.dat")
    assert (tmp_path / "elsewhere.dat").read_text() == "2:\t1.250000000000E-01\n"


@pytest.mark.parametrize("case", [ObstacleFlow(steps=50), "own"])
def test_the_picture_is_drawn(case, files, tmp_path: Path):
    result, variables, _ = run(ObstacleFlow(**files) if case == "own" else case)
    result.pictures(variables)["obstacle-flow.png"](tmp_path / "flow.png")
    assert (tmp_path / "flow.png").stat().st_size > 50_000


@pytest.mark.parametrize(
    ("case", "message"),
    [
        (
            ObstacleFlow("128x129"),
            "'grid' was given '128x129'; expected one of: 128x128, 128x256, 256x256, 1024x1024.",
        ),
        (
            ObstacleFlow(dtype="float16"),
            "'dtype' was given 'float16'; expected one of: float64, float32.",
        ),
        (ObstacleFlow(steps=-1), "'steps' was given -1; expected a whole number of at least 0."),
        (
            ObstacleFlow(obstacles="nowhere"),
            "The obstacle file 'nowhere' could not be read: No such file or directory.",
        ),
        (
            ObstacleFlow(parameters="nowhere"),
            "The parameter file 'nowhere' could not be read: No such file or directory.",
        ),
    ],
)
def test_what_cannot_be_computed_is_refused(case, message):
    with pytest.raises(CaseError) as error:
        case.check()
    assert message_of(error.value) == message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 1 1\n2 2\n", "Line 2 of the obstacle file '{}' is '2 2'; expected 'x y 1' with whole"),
        ("1 1 0\n", "Line 1 of the obstacle file '{}' is '1 1 0'; expected 'x y 1' with whole"),
        ("1 a 1\n", "Line 1 of the obstacle file '{}' is '1 a 1'; expected 'x y 1' with whole"),
        (
            "\n1 1 1\n5 9 1\n",
            "Line 3 of the obstacle file '{}' has the obstacle (5, 9) outside the grid; expected "
            "x from 0 to 10 and y from 0 to 8.",
        ),
        ("-1 0 1\n", "has the obstacle (-1, 0) outside the grid"),
    ],
)
def test_a_wrong_obstacle_file_is_refused(files, text, message):
    Path(files["obstacles"]).write_text(text)
    with pytest.raises(CaseError) as error:
        ObstacleFlow(**files).check()
    assert message.format(files["obstacles"]) in str(error.value)


def test_a_file_that_is_no_text_is_refused(tmp_path: Path):
    (tmp_path / "o").write_bytes(b"\xff\xfe\x80")
    with pytest.raises(CaseError, match=r"could not be read: it is no text\."):
        read_obstacles(str(tmp_path / "o"), 8, 8)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("8\n8\n", "The parameter file '{}' has 2 lines; expected 7: nx, ny, iterations, "),
        (
            PARAMETERS.replace("25", "2.5"),
            "Line 3 of the parameter file '{}' is '2.5'; expected a whole number, 'iterations'.",
        ),
        (
            PARAMETERS.replace("1.85", "fast"),
            "Line 7 of the parameter file '{}' is 'fast'; expected a number, 'omega'.",
        ),
        (PARAMETERS.replace("1.85", "2.0"), "'omega' is 2; expected above 0 and below 2."),
        (PARAMETERS.replace("1.85", "nan"), "'omega' is nan; expected above 0 and below 2."),
        (PARAMETERS.replace("0.005", "1"), "'accel' is 1; expected from 0 to below 1."),
        (PARAMETERS.replace("0.1\n", "0\n"), "'density' is 0; expected above 0."),
        (PARAMETERS.replace("25", "0"), "'iterations' is 0; expected above 0."),
        (PARAMETERS.replace("9\n", "2\n"), "A grid of 11x2 cells was given; expected at least 3"),
    ],
)
def test_a_wrong_parameter_file_is_refused(files, text, message):
    Path(files["parameters"]).write_text(text)
    with pytest.raises(CaseError) as error:
        ObstacleFlow(**files).check()
    assert message.format(files["parameters"]) in str(error.value)


def test_published_obstacles_on_another_grid_are_refused(files):
    with pytest.raises(CaseError) as error:
        ObstacleFlow(parameters=files["parameters"]).check()
    assert message_of(error.value) == (
        f"The parameter file '{files['parameters']}' has 11x9 cells, but the obstacles are those "
        "of the published grid '128x128'. Give obstacles of your own with 'obstacles'."
    )


def test_a_grid_without_fluid_is_refused(files):
    cells = "".join(f"{x} {y} 1\n" for x in range(11) for y in range(9))
    Path(files["obstacles"]).write_text(cells)
    with pytest.raises(CaseError, match="All cells are obstacles; expected some fluid"):
        ObstacleFlow(**files).check()


# Accepted deviations: docs/validation.md, 'Obstacle flow'.
COURSE = "University of Bristol, course results"
LONG = [(grid, dtype) for grid in published_grids() for dtype in ("float64", "float32")]


@pytest.mark.slow
@pytest.mark.parametrize(("grid", "dtype"), LONG)
def test_the_whole_flow_against_the_published_results(grid, dtype, record):
    result, variables, mass = run(ObstacleFlow(grid, dtype=dtype))
    series, *profiles = result.deviations(variables)
    series_limit, profile_limit, mass_limit = {
        "float64": (1e-10, 1e-10, 1e-10),
        "float32": (1e-3, 1e-3, 1e-3),
    }[dtype]
    found = [
        ("average velocity, relative", COURSE, series.relative, series_limit),
        ("mass, relative", "conservation", abs(mass - 1.0), mass_limit),
    ]
    if profiles:
        worst = max(profile.relative for profile in profiles)
        quantity = "velocity and pressure profiles, relative"
        found.append((quantity, COURSE, worst, profile_limit))
    for quantity, source, measured, accepted in found:
        title = f"obstacle flow {grid}, {dtype}"
        record(title, quantity, source, measured, accepted, result.seconds)
    assert series.points == {"256x256": 20, "1024x1024": 16}.get(grid, 18)
    assert len(profiles) == {"128x128": 6, "128x256": 3}.get(grid, 0)
    for quantity, _, measured, accepted in found:
        assert measured <= accepted, quantity
