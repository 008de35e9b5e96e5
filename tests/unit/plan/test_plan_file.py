"""Plans are written to a file and read again; other files are refused, each with its message."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import stencils
from msgspec import msgpack

import halocline as hc
from halocline.errors import OutputError, PlanError
from halocline.geometry import Box
from halocline.language.steps.steps import check_steps
from halocline.plan.blocks.choice import decomposition_for
from halocline.plan.cells.strategy import Strategy
from halocline.plan.encoding import Encoder
from halocline.plan.pipeline import plan_of, write_plan_file
from halocline.plan.plan_file import read_plans, section_of, write_plans
from halocline.plan.platform import Platform
from halocline.plan.program.binding import bind

HINT = "Write one by 'simulation.write_plan' or 'halocline show plan CASE --write FILE'."


def program_of(problem):
    return bind(problem.grid, check_steps(tuple(problem.steps)), 100)


def plans_of(problem, program, ranks, platform, **choices):
    split = decomposition_for(problem.grid, ranks, steps=check_steps(tuple(problem.steps)))
    return [plan_of(program, split, Strategy(**choices), rank, platform) for rank in range(ranks)]


@pytest.mark.parametrize("name", stencils.PROBLEMS)
@pytest.mark.parametrize(
    ("platform", "choices"),
    [
        (Platform((0, 0, 1), kept_bytes=100), {}),
        (Platform(near="peer", far="from-device"), {"wait": "any", "poison": True}),
        (None, {"overlap": "rim-first", "messages": "field"}),
    ],
)
def test_what_is_read_is_what_was_written(name, platform, choices, tmp_path):
    problem, again = (stencils.make(name, "none", "float64") for _ in range(2))
    program = program_of(problem)
    plans = plans_of(problem, program, 3, platform, **choices)
    encoder = Encoder(program)
    sections = [section_of(plan, encoder) for plan in plans]
    write_plans(tmp_path / "a.plan", encoder, plans[0], sections)
    found = read_plans(tmp_path / "a.plan")
    # Another process has made the same program anew.
    other = program_of(again)
    for plan in plans:
        read = found.plan(other, plan.rank)
        assert str(read) == str(plan)
        assert section_of(read, Encoder(other)) == section_of(plan, encoder)
        # For programs parts of messages are columns of bytes.
        columns = msgpack.decode(msgpack.encode(section_of(plan, encoder, are_columns=True)))
        assert encoder.decoded(columns)["exchanges"] == plan.exchanges


@pytest.fixture
def written(tmp_path):
    path = tmp_path / "heat.plan"
    problem = stencils.heat((12, 8), (True, True))
    write_plan_file(path, problem.grid, problem.steps, ranks=2)
    return path


def refusal(path, problem=None, rank=0):
    program = program_of(problem or stencils.heat((12, 8), (True, True)))
    with pytest.raises(PlanError) as caught:
        read_plans(path).plan(program, rank)
    return str(caught.value)


def test_a_missing_file(tmp_path):
    path = tmp_path / "none.plan"
    assert (
        refusal(path) == f"The plan '{path}' could not be read: No such file or directory. {HINT}"
    )


def test_a_folder_that_is_not_there(tmp_path):
    problem = stencils.heat((12, 8), (True, True))
    with pytest.raises(OutputError, match="could not be written: No such file or directory"):
        write_plan_file(tmp_path / "no" / "a.plan", problem.grid, problem.steps)


def test_another_version(written):
    contents = json.loads(written.read_text())
    written.write_text(json.dumps({**contents, "version": 0}))
    assert refusal(written) == (
        f"The plan '{written}' has version 0 of the format; expected version 9. {HINT}"
    )


def heat(a=0.125, dtype="float64", side=None):
    grid = hc.Grid((12, 8), periodic=(True, side is None))
    T, T_new = grid.field("T", dtype=dtype), grid.field("T_new", dtype=dtype)

    @hc.kernel
    def diffuse(T, T_new, *, a):
        T_new[0, 0] = T[0, 0] + a * hc.laplacian(T)

    for name in ("y-", "y+"):
        if side is not None:
            T.boundary(name, hc.Dirichlet(side))
    return stencils.Problem(grid, [diffuse(T, T_new, a=a), hc.swap(T, T_new)])


def test_where_a_program_stands_and_what_parameters_are_does_not_matter(tmp_path):
    path = tmp_path / "heat.plan"
    made = heat(a=hc.Parameter(1.0, "a"))
    write_plan_file(path, made.grid, made.steps)
    b = hc.Parameter(2.0, "b")
    plan = read_plans(path).plan(program_of(heat(a=b)), 0)
    assert {launch.scalars for launch in plan.launches} == {(b,)}


@pytest.mark.parametrize(
    "other",
    [{"a": 0.25}, {"dtype": "float32"}, {"side": 1.0}, {"a": hc.step}, {"a": hc.Parameter(0.125)}],
)
def test_another_program(other, tmp_path):
    path = tmp_path / "heat.plan"
    made = heat()
    write_plan_file(path, made.grid, made.steps)
    assert refusal(path, heat(**other)) == (
        f"The plan '{path}' was made for other steps, fields, boundaries or numbers than those of "
        f"the simulation. {HINT}"
    )


def change(path, **changed):
    path.write_text(json.dumps({**json.loads(path.read_text()), **changed}))


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda path: path.write_text(path.read_text()[:-20]), "Expecting"),
        (lambda path: path.write_text("{}"), "it does not begin with the format 'halocline plan'"),
        (lambda path: path.write_text("[]"), "it does not begin with the format 'halocline plan'"),
        (lambda path: path.write_bytes(b"\xff\x00"), "'utf-8' codec can't decode"),
        (lambda path: change(path, strategy={"Strategy": {"tiles": 0}}), "'tiles' was given 0"),
        (lambda path: change(path, strategy={"Weather": {}}), "there is no 'Weather'"),
        (lambda path: change(path, ranks=[{}]), "it has 1 sections"),
        (lambda path: change(path, ranks=[{}, {}]), "there is no 'list'"),
        (lambda path: change(path, ranks=[{"list": []}, {}]), "missing"),
        (lambda path: change(path, ranks=[{"list": [{"at": 9999}]}, {}]), "out of range"),
    ],
)
def test_damage(written, damage, reason):
    damage(written)
    said = refusal(written)
    assert said.startswith(f"The file '{written}' is no plan, or it is damaged: ")
    assert reason in said
    assert said.endswith(HINT)


def simulate(path, extent=(12, 8), **options):
    problem = stencils.heat(extent, (True, True))
    return hc.Simulation(problem.grid, problem.steps, threads=1, plan=path, **options)


def told(path, **options):
    with pytest.raises(PlanError) as caught:
        simulate(path, **options)
    return str(caught.value)


def test_a_simulation_refuses_what_a_plan_was_not_made_for(written, tmp_path):
    assert told(written) == (
        f"The plan '{written}' is for 2 rank(s) and 12x8 cells; the simulation has 1 rank(s) and "
        f"12x8 cells. {HINT}"
    )
    path = tmp_path / "one.plan"
    simulate(None).write_plan(path)
    assert told(path, extent=(8, 12)) == (
        f"The plan '{path}' is for 1 rank(s) and 12x8 cells; the simulation has 1 rank(s) and 8x12 "
        f"cells. {HINT}"
    )
    assert told(path, device="emulated") == (
        f"The plan '{path}' is for processors; the simulation runs on devices. {HINT}"
    )
    simulate(None, device="emulated").write_plan(path)
    assert told(path) == (
        f"The plan '{path}' is for devices; the simulation runs on processors. {HINT}"
    )


@pytest.mark.parametrize(
    ("name", "value"),
    [("strategy", Strategy()), ("decomposition", "rows"), ("decomposition", (1, 1)), ("blocks", 2)],
)
def test_what_a_plan_has_decided_is_not_chosen_besides(name, value, tmp_path):
    path = tmp_path / "one.plan"
    simulate(None).write_plan(path)
    assert told(path, **{name: value}) == (
        f"'{name}' was given with 'plan'; expected one of them: a plan has decided it. "
        f"Leave out '{name}', or write another plan."
    )


def test_a_fixed_decision_needs_no_trial(tmp_path):
    path = tmp_path / "one.plan"
    problem = stencils.heat((12, 8), (True, True))
    write_plan_file(path, problem.grid, problem.steps, platform=Platform(kept_bytes=0))
    assert '"fetch": "trial"' in path.read_text()
    path.write_text(path.read_text().replace('"fetch": "trial"', '"fetch": "always"'))
    simulation = simulate(path)
    simulation.run(1, progress=False)
    assert {how.fetch for how in simulation.plan.executions} == {"always"}


def test_looking_at_a_plan_changes_nothing():
    looked, other = simulate(None, check_every=2), simulate(None, check_every=2)
    before = dict(vars(looked))
    fields = {name: vars(field).copy() for name, field in looked.grid.fields.items()}
    assert str(looked.plan) == str(looked.plan) == str(other.plan)
    assert vars(looked) == before
    assert {name: vars(field) for name, field in looked.grid.fields.items()} == fields
    # The steps may still get their boundaries.
    looked.run(3, progress=False)
    assert str(looked.plan) == str(other.plan)


def test_a_program_has_the_same_fingerprint_in_every_process():
    code = (
        f"import sys; sys.path.insert(0, {str(Path(stencils.__file__).parent)!r})\n"
        "import stencils\n"
        "from halocline.language.steps.steps import check_steps\n"
        "from halocline.plan.program.binding import bind\n"
        "from halocline.plan.encoding import Encoder\n"
        "for name in stencils.PROBLEMS:\n"
        "    made = stencils.make(name, 'first', 'float64')\n"
        "    print(Encoder(bind(made.grid, check_steps(tuple(made.steps)), 9)).fingerprint)\n"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            check=True,
            capture_output=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in "1234"
    }
    assert len(found) == 1


def test_blocks_of_a_plan_may_be_replaced(tmp_path):
    path = tmp_path / "one.plan"
    boxes = [Box((0, 0), (5, 8)), Box((5, 0), (12, 3)), Box((5, 3), (12, 8))]
    split = hc.Decomposition.of_blocks((12, 8), (True, True), 1, boxes)
    simulate(None, decomposition=split).write_plan(path)
    found = []
    for options in ({"plan": path}, {"plan": None}):
        problem = stencils.heat((12, 8), (True, True))
        stencils.fill(problem)
        simulation = hc.Simulation(problem.grid, problem.steps, threads=1, **options)
        assert (simulation.decomposition == split) == (options["plan"] is not None)
        simulation.run(3, progress=False)
        simulation.rebuild(blocks=2)
        simulation.run(3, progress=False)
        assert simulation.plan.decomposition.blocks == 2
        found.append(stencils.checksum(problem))
    assert found[0] == found[1]
