"""Machine files and the built-in machines."""

import json

import pytest
from toy import toy, toy_device

from halocline.errors import OutputError
from halocline.tune.machine import MachineError
from halocline.tune.machine_file import (
    identity_here,
    load_machine,
    machine_path,
    save_machine,
)
from halocline.tune.machines import find_machine, known_machines, machine_here


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "machine.json"
    save_machine(toy(), path)
    return path


def changed(file, **changes):
    table = json.loads(file.read_text())
    for key, value in changes.items():
        if value is None:
            del table[key]
        else:
            table[key] = value
    file.write_text(json.dumps(table))
    return file


@pytest.mark.parametrize("name", known_machines())
def test_machines_come_back_from_their_files(name, tmp_path):
    machine = known_machines()[name]
    save_machine(machine, tmp_path / "sub" / "machine.json")
    assert load_machine(tmp_path / "sub" / "machine.json") == machine
    assert [p.name for p in (tmp_path / "sub").iterdir()] == ["machine.json"]


def test_the_file_of_this_machine_is_accepted(file):
    assert load_machine(file, "toy") == toy()


def test_whole_numbers_serve_as_numbers(file):
    assert load_machine(changed(file, flops_per_s=3)).flops_per_s == 3.0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"version": 99}, "says schema 'halocline machine', version '99'; expected 'halocline"),
        ({"schema": "soup"}, "says schema 'soup', version '3'; expected 'halocline machine'"),
        ({"packing": None}, "has no key 'packing'"),
        ({"soup": 1}, "has an unknown key 'soup'"),
        ({"cores": "many"}, "has cores='many'; expected a whole number"),
        ({"cores": True}, "has cores=True; expected a whole number"),
        ({"node_link_bytes_per_s": "x"}, "='x'; expected a number or null"),
        ({"copies": {}}, r"has copies=\{\}; expected a list"),
        ({"copies": [3]}, r"has copies\[0\]=3; expected a table"),
        ({"packing": {"value_s": 1.0, "row_s": 1.0}}, "has no key 'packing.byte_s'"),
    ],
)
def test_a_file_that_is_not_right_is_refused(file, changes, message):
    with pytest.raises(MachineError, match=message) as error:
        load_machine(changed(file, **changes))
    assert "Run 'halocline probe'" in str(error.value)


def test_a_file_of_another_machine_is_refused(file):
    expected = r"measured on a machine with identity 'toy' \('toy'\); this one has 'here'.*probe"
    with pytest.raises(MachineError, match=expected):
        load_machine(file, "here")


def test_a_file_that_cannot_be_read_is_refused(tmp_path):
    with pytest.raises(MachineError, match="could not be read: No such file"):
        load_machine(tmp_path / "none.json")
    (tmp_path / "torn.json").write_text('{"schema":')
    with pytest.raises(MachineError, match="is not valid JSON"):
        load_machine(tmp_path / "torn.json")
    (tmp_path / "list.json").write_text("[]")
    with pytest.raises(MachineError, match="says schema ''"):
        load_machine(tmp_path / "list.json")


def test_a_file_that_cannot_be_written_is_reported(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="could not be written"):
        save_machine(toy(), tmp_path / "file" / "machine.json")


def test_the_identity_is_always_the_same():
    assert identity_here() == identity_here()
    assert len(identity_here()) == 16


def test_this_machine_is_generic_until_it_is_measured(tmp_path, monkeypatch):
    monkeypatch.setenv("HALOCLINE_CACHE", str(tmp_path))
    assert machine_path() == tmp_path / "machine.json"
    assert machine_here().name == "generic"
    with pytest.raises(MachineError, match="could not be read"):
        find_machine("here")
    save_machine(toy(identity=identity_here()), machine_path())
    assert machine_here() == find_machine("here") == toy(identity=identity_here())
    save_machine(toy(), machine_path())
    with pytest.raises(MachineError, match="identity 'toy'"):
        machine_here()


def test_machines_are_found_by_name_or_file(file):
    assert find_machine("lima").name == "lima"
    assert find_machine(str(file)) == toy()
    with pytest.raises(MachineError, match=r"no machine 'limo'. Did you mean 'lima'\?"):
        find_machine("limo")


def test_published_numbers():
    known = known_machines()
    lima, xe6, getm = known["lima"], known["xe6"], known["getm-cluster"]
    # Table 4.1 of paper 000 counts three transfers a value; here reads and writes count.
    assert lima.bandwidth(24, 38, 1e9) == pytest.approx(38.9e9 * 2 / 3)
    assert xe6.bandwidth(12, 2, 1e9) == 50.5e9
    assert (lima.cores, xe6.cores, getm.cores, known["bluecrystal-3"].cores) == (24, 24, 4, 16)
    # Paper 002: a ping takes 0.13 ms, a 3-D exchange of 1.5 Mbit 1.5 ms.
    link = getm.times("two-sided", is_same_node=False)
    assert link.range_of(0).latency_s == 0.13e-3
    assert link.flight_s(1.5e6 / 8) - link.range_of(0).latency_s == pytest.approx(1.5e-3)
    # Paper 002, table 7-2, 60x60: 40.73 s in 3456 calls on 60 layers, 7 streams.
    cells = 60 * 60 * 60
    assert 7 * 8 * cells / (getm.bandwidth(4, 7, 48 * cells) / 4) == pytest.approx(40.73 / 3456)
    assert (
        known["bluecrystal-3"].times("two-sided", is_same_node=False).range_of(0)
        == (known["bluecrystal-3"].transports[-1].ranges[0])
    )


@pytest.mark.parametrize("machine", known_machines().values(), ids=lambda m: m.name)
def test_every_machine_says_where_its_numbers_come_from(machine):
    assert machine.sources
    if machine.device:
        assert any("assumed" in source or "fitted" in source for source in machine.sources)
        assert any("memory" in source for source in machine.sources)


@pytest.mark.parametrize(
    "machine", [m for m in known_machines().values() if not m.device], ids=lambda m: m.name
)
def test_machines_without_devices_have_messages_inside_and_between_nodes(machine):
    assert machine.times("two-sided", is_same_node=True).is_same_node
    assert machine.times("shared", is_same_node=True).transport == "shared"
    assert not machine.times("two-sided", is_same_node=False).is_same_node


def test_a_device_with_messages_that_nobody_knows_is_refused(tmp_path):
    path = tmp_path / "machine.json"
    save_machine(toy_device(), path)
    path.write_text(path.read_text().replace('"messages": "via-host"', '"messages": "via-hos"'))
    with pytest.raises(MachineError, match="no device messages 'via-hos'"):
        load_machine(path)
