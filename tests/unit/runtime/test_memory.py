"""What does not fit into memory is refused before anything is stored."""

import os
import re
from math import inf

import pytest
import stencils

import halocline as hc
from halocline.errors import OutOfMemoryError
from halocline.free_memory import free_memory
from halocline.plan.pipeline import plan_for
from halocline.runtime import memory
from halocline.runtime.memory import bytes_needed, bytes_to_move

HERE = f"node '{os.uname().nodename}'"
HINT = (
    "Use more nodes or devices, a smaller grid, dtype='float32' or 'float16', or for a flow "
    "streaming='in-place'."
)


@pytest.fixture
def free(monkeypatch):
    """Return a function that says how much memory there is."""
    return lambda size: monkeypatch.setattr(memory, "free_memory", lambda: size)


def refusal(action) -> str:
    with pytest.raises(OutOfMemoryError) as caught:
        action()
    return str(caught.value)


@pytest.mark.parametrize("dtype", ["float64", "float16"])
def test_what_fields_need_is_what_the_runtime_allocates(dtype):
    problem = stencils.cavity((20, 18, 16), False, dtype)
    simulation = hc.Simulation(problem.grid, problem.steps, blocks=3)
    plan = simulation.plan
    assert sum(bytes_needed(plan.layouts, plan, 64).values()) == simulation.bytes_stored()


def test_messages_need_memory_on_both_sides():
    problem = stencils.heat((64, 64), (True, True))
    plan = plan_for(problem.grid, problem.steps, ranks=4)
    # Two sides of 32 values; along x rows of all four blocks would close, but there are two. Each
    # of the two storages that are swapped has messages of its own.
    assert bytes_needed(plan.layouts, plan, 64)["messages"] == 2 * 2 * 4 * 32 * 8


def test_a_grid_that_does_not_fit_is_refused_at_once():
    grid = hc.Grid((100_000, 100_000))
    one, f = grid.field("one"), grid.field("f", components=1000)
    simulation = hc.Simulation(grid, [lambda: None])
    message = refusal(lambda: simulation.run(1))
    begin = f"Fields and messages take 80.1 TB on {HERE} (1 rank(s), at most 80.1 TB each), where "
    assert message.startswith(begin)
    assert message.endswith(f" are free: f 80.0 TB, one 80.0 GB. {HINT}")
    assert one.storage is None
    assert f.storage is None


def test_the_largest_fields_are_named_first(free):
    free(1000)
    grid = hc.Grid((1024,))
    for number in range(6):
        grid.field(f"small{number}", dtype="uint8")
    grid.field("middle", dtype="float32")
    grid.field("large", components=20)
    simulation = hc.Simulation(grid, [lambda: None])
    found = refusal(lambda: simulation.run(1))
    assert re.search(
        r"where 1.0 kB are free: large [\d.]+ kB, middle [\d.]+ kB, small\d [\d.]+ kB, "
        r"small\d [\d.]+ kB, small\d [\d.]+ kB and 3 more\. Use ",
        found,
    )


def test_what_fits_runs_and_what_a_reduction_needs_is_asked_for_when_it_comes(free):
    grid = hc.Grid((1024,))
    a, b = grid.field("a", dtype="int64"), grid.field("b")
    a.set(2)
    b.set(2.0)
    simulation = hc.Simulation(grid, [lambda: None])
    free(1 << 15)
    assert simulation.reduce(hc.sum(a)) == 2048.0
    free(8191)
    # Of doubles a processor stores nothing.
    assert simulation.reduce(hc.sum(b * b)) == 4096.0
    assert refusal(lambda: simulation.reduce(hc.sum(a * a))) == (
        f"Fields and messages take 8.2 kB on {HERE} (1 rank(s), at most 8.2 kB each), where 8.2 kB "
        f"are free: once_0_int64_x1024 8.2 kB. {HINT}"
    )
    free(8192)
    assert simulation.reduce(hc.sum(a * a)) == 4096.0


def test_fields_that_move_one_by_one_need_little_more_than_one(free):
    grid = hc.Grid((1024,))
    a, f = grid.field("a"), grid.field("f", components=4)
    simulation = hc.Simulation(grid, [lambda: None])
    simulation.run(0)
    plan = plan_for(grid, [lambda: None], blocks=2)
    new = bytes_needed(plan.layouts, plan, 64)
    before = {"a": a.storage, "f": f.storage}
    most = new["a"] - a.storage.bytes_stored + new["f"]
    assert most < 1.2 * f.storage.bytes_stored
    # On ranks a component is in messages, too.
    sent = (new["f"] + f.storage.bytes_stored) // 4
    assert bytes_to_move(plan.layouts, new, before, is_alone=False) == most + sent
    free(most - 1)
    message = refusal(lambda: simulation.rebuild(blocks=2))
    assert re.sub(r"[\d.]+ kB", "X kB", message) == (
        f"Fields and messages take X kB on {HERE} (1 rank(s), at most X kB each), where X kB are "
        f"free: fields on their way to other blocks X kB. {HINT}"
    )
    free(most)
    simulation.rebuild(blocks=2)


class Ranks:
    """A job of three ranks on two nodes, the first two on one; all need the same."""

    def everywhere(self, value):
        (found, needed) = value
        other = memory.Memory("node 'other'", 5000.0)
        return [(found, needed), (found, needed), (other, needed)]


def test_ranks_share_the_memory_of_their_node(free):
    grid = hc.Grid((512,))
    grid.field("a")
    plan = hc.Simulation(grid, [lambda: None]).plan
    device = hc.Simulation(grid, [lambda: None]).device
    three = Ranks()
    free(8192)
    memory.check_memory(plan.layouts, plan, device, three)
    free(8191)
    assert refusal(lambda: memory.check_memory(plan.layouts, plan, device, three)).startswith(
        f"Fields and messages take 8.2 kB on {HERE} (2 rank(s), at most 4.1 kB each), where "
    )


def write(folder, **files):
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text)


def test_free_is_what_the_system_has_left(tmp_path):
    write(tmp_path, meminfo="MemTotal: 100 kB\nMemAvailable:  70 kB\nHugePages_Total: 0\n")
    assert free_memory(tmp_path, tmp_path) == 70 * 1024


def test_free_is_what_any_control_group_around_the_process_may_still_take(tmp_path):
    write(tmp_path, meminfo="MemAvailable: 70 kB\n")
    write(tmp_path / "self", cgroup="0::/job/step\n")
    write(tmp_path / "job" / "step", memory__max="max\n", memory__current="9000\n")
    write(
        tmp_path / "job",
        memory__max="20000\n",
        memory__current="9000\n",
        memory__stat="anon 8000\ninactive_file 500\n",
    )
    assert free_memory(tmp_path, tmp_path) == 20000 - 9000 + 500


def test_control_groups_of_the_first_version_count_too(tmp_path):
    write(tmp_path, meminfo="MemAvailable: 70 kB\n")
    write(tmp_path / "self", cgroup="5:cpu:/\n4:hugetlb,memory:/job\n")
    write(
        tmp_path / "memory" / "job",
        memory__limit_in_bytes="20000\n",
        memory__usage_in_bytes="21000\n",
    )
    assert free_memory(tmp_path, tmp_path) == 0


def test_where_the_system_tells_nothing_everything_is_tried(tmp_path):
    assert free_memory(tmp_path / "none", tmp_path) == inf
