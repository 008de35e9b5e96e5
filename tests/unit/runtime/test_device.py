"""On a device, here an emulated one, a simulation does what it does on the processor."""

from __future__ import annotations

import numpy as np
import pytest
import stencils

import halocline as hc
from halocline.errors import DeviceError, DivergedError, PlanError
from halocline.runtime import _core
from halocline.runtime.device import DeviceChoice, open_device, parse_device
from halocline.runtime.job import join


def _heat(*more, **options):
    problem = stencils.heat((9, 7), (True, False))
    stencils.fill(problem)
    steps = [*problem.steps, *more]
    return problem.grid, hc.Simulation(problem.grid, steps, threads=1, **options)


def test_names_of_devices():
    assert parse_device("cpu").is_cpu
    assert parse_device("cuda") == DeviceChoice("cuda")
    assert parse_device("cuda:1") == DeviceChoice("cuda", 1)
    assert parse_device("auto") == DeviceChoice("auto")
    assert parse_device("emulated") == DeviceChoice("emulated")
    assert parse_device("emulated:7") == DeviceChoice("emulated", 7)


def test_what_is_opened_says_where_kernels_run():
    processor = open_device(parse_device("cpu"), join())
    assert processor.handle is None
    assert processor.where == ""
    emulated = open_device(parse_device("emulated"), join())
    assert emulated.handle.name == "emulated device"
    assert emulated.where == "kernels on an emulated device each"


def test_blocks_longer_than_threads_can_count_are_refused_before_anything_is_stored():
    grid = hc.Grid((2_500_000_000,), periodic=True)
    a, b = grid.field("a", dtype="float32"), grid.field("b", dtype="float32")

    @hc.kernel
    def shift(a, b):
        b[0] = a[-1]

    simulation = hc.Simulation(grid, [shift(a, b), hc.swap(a, b)], device="emulated")
    with pytest.raises(DeviceError) as found:
        simulation.run(1, progress=False)
    assert str(found.value) == (
        "A block has 2,500,000,000 cells along an axis; a device counts up to 2,000,000,000. Use "
        "more ranks, more blocks, or another decomposition."
    )


@pytest.mark.parametrize("seed", range(4))
def test_the_host_sees_the_newest_values_and_the_device_what_the_host_has_changed(seed):
    found = []
    for device in ("cpu", f"emulated:{seed}"):
        grid, simulation = _heat(device=device)
        simulation.run(3, progress=False)
        grid.fields["T"].local()[0][4, 3] = 5.0
        simulation.run(2, progress=False)
        found.append(grid.fields["T"].gather())
    assert found[0].tobytes() == found[1].tobytes()


@pytest.mark.parametrize("seed", range(4))
def test_functions_and_reductions_within_a_step(seed):
    found = []
    for device in ("cpu", f"emulated:{seed}"):
        totals = []
        problem = stencils.heat((9, 7), (True, False))
        field = problem.grid.fields["T"]
        stencils.fill(problem)
        total = hc.sum(field, name="total")

        def halve(field=field, total=total, totals=totals):
            totals.append(total.value)
            field.local()[0][...] *= 0.5

        steps = [*problem.steps, total, hc.every(2, halve)]
        hc.Simulation(problem.grid, steps, threads=1, device=device).run(5, progress=False)
        found.append((totals, field.gather().tobytes()))
    assert len(found[0][0]) == 2
    assert found[0] == found[1]


DTYPES = ("float64", "float32", "float16", "int64", "int32", "uint8")


def _numbers(dtype, *special):
    """Return 3000 numbers of all magnitudes, of which many cancel."""
    if dtype.startswith("float"):
        info = np.finfo(dtype)
        chance = np.random.default_rng(7)
        exponents = chance.integers(info.minexp - info.nmant, info.maxexp - 12, 1500)
        half = np.ldexp(chance.uniform(-1, 1, 1500), exponents).astype(dtype)
        values = np.concatenate([half, -half])
        values[: len(special)] = special
        values[-1] = np.ldexp(1.0, info.minexp - info.nmant)
        return chance.permutation(values)
    info = np.iinfo(dtype)
    return np.random.default_rng(7).integers(info.min, info.max, 3000, dtype=dtype, endpoint=True)


@pytest.mark.parametrize(
    ("dtype", "special"),
    [*((dtype, ()) for dtype in DTYPES), ("float64", (np.inf,)), ("float32", (np.inf, -np.inf))],
)
def test_reductions_have_the_bits_of_the_processor(dtype, special):
    values = _numbers(dtype, *special).reshape(60, 50)
    found = []
    for device in ("cpu", "emulated:1", "emulated:2"):
        grid = hc.Grid((60, 50))
        field = grid.field("a", dtype=dtype)
        simulation = hc.Simulation(grid, [lambda: None], threads=1, device=device, blocks=3)
        field.set(values)
        kinds = (hc.sum, hc.min, hc.max)
        found.append([np.float64(simulation.reduce(kind(field))).tobytes() for kind in kinds])
    assert found[0] == found[1] == found[2]


def test_threads_that_visit_several_values_add_them_exactly():
    chance = np.random.default_rng(5)
    extent = (500, 700)  # more than the threads of a launch
    values = chance.standard_normal(extent) * 10.0 ** chance.integers(-300, 300, extent)
    values[::3] = chance.standard_normal(values[::3].shape)
    found = []
    for device in ("cpu", "emulated"):
        grid = hc.Grid(extent)
        field = grid.field("a")
        simulation = hc.Simulation(grid, [lambda: None], threads=1, device=device)
        field.set(values)
        found.append([simulation.reduce(kind(field)) for kind in (hc.sum, hc.min, hc.max)])
    assert found[0] == found[1]
    assert found[0][1:] == [values.min(), values.max()]


@pytest.mark.parametrize("blocks", [2, 4])
def test_copies_between_blocks_of_every_type(blocks):
    found = []
    for device in ("cpu", "emulated:1", "emulated:2"):
        grid = hc.Grid((9, 7, 5), periodic=True)
        fields = [grid.field(f"a_{dtype}", dtype=dtype) for dtype in DTYPES]
        moved = [grid.field(f"b_{dtype}", dtype=dtype) for dtype in DTYPES]

        @hc.kernel
        def move(b, a):
            b[0, 0, 0] = a[-1, 1, 1]

        steps = [move(b, a) for b, a in zip(moved, fields, strict=True)]
        steps += [hc.swap(b, a) for b, a in zip(moved, fields, strict=True)]
        simulation = hc.Simulation(
            grid, steps, device=device, blocks=blocks, strategy=hc.Strategy(poison=True)
        )
        for number, field in enumerate(fields):
            field.set(np.arange(9 * 7 * 5).reshape(9, 7, 5) % (number + 100))
        simulation.run(3, progress=False)
        found.append([field.gather().tobytes() for field in fields])
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("blocks", [1, 3])
def test_masks_that_change_between_runs(blocks):
    found = []
    for device in ("cpu", "emulated"):
        grid = hc.Grid((12, 8), periodic=True)
        a, where = grid.field("a"), grid.field("where", dtype="uint8")

        @hc.kernel
        def add(a):
            a[0, 0] = a + 1.0

        simulation = hc.Simulation(grid, [add(a, on=where)], device=device, blocks=blocks)
        for chosen in (3, 5):
            where.set((np.arange(96).reshape(12, 8) % chosen == 0).astype(np.uint8))
            simulation.run(2, progress=False)
        found.append(a.gather())
    assert found[0].max() == 4.0
    assert found[0].tobytes() == found[1].tobytes()


@pytest.mark.parametrize("blocks", [1, 4])
def test_the_first_value_that_is_no_number_is_found_as_on_the_processor(blocks):
    values = np.zeros((9, 7))
    values[6, 2] = values[2, 5] = values[8, 2] = np.nan
    for device in ("cpu", "emulated:3"):
        grid = hc.Grid((9, 7))
        a = grid.field("a", components=2)

        @hc.kernel
        def grow(a):
            a[1][0, 0] = a[1] + 1.0

        simulation = hc.Simulation(grid, [grow(a)], device=device, blocks=blocks, check_every=1)
        a.set(np.stack([np.zeros((9, 7)), values]))
        with pytest.raises(DivergedError, match=r"Field 'a' component 1 .* cell \(6, 2\)"):
            simulation.run(1, progress=False)


def _replays(simulation):
    return sum(count for _, kind, count, _ in simulation.timers() if kind == "replay")


@pytest.mark.parametrize("blocks", [1, 3])
def test_many_steps_are_recorded_once_and_replayed(blocks):
    found = []
    for device in ("cpu", "emulated:1", "emulated:2"):
        strategy = hc.Strategy(poison=True)
        grid, simulation = _heat(device=device, blocks=blocks, strategy=strategy, check_every=0)
        simulation.run(100, progress=False)
        simulation.run(37, progress=False)
        assert (_replays(simulation) > 0) == (device != "cpu")
        assert simulation.step == 137
        found.append(grid.fields["T"].gather().tobytes())
    assert found[0] == found[1] == found[2]


def test_what_changes_between_steps_is_not_replayed():
    found = []
    for device in ("cpu", "emulated:4"):
        grid = hc.Grid((12, 8), periodic=True)
        a, where = grid.field("a"), grid.field("where", dtype="uint8")
        rate, totals = hc.Parameter(0.5, "rate"), []
        total = hc.sum(a, name="total")

        @hc.kernel
        def add(a, *, rate):
            a[0, 0] = a + rate

        def change(where=where, rate=rate, total=total, totals=totals):
            totals.append(total.value)
            rate.value *= 0.75
            where.local()[0][3, 4] ^= 1

        steps = [add(a, rate=rate, on=where), hc.every(40, total, change)]
        simulation = hc.Simulation(grid, steps, device=device, check_every=0)
        a.set(np.arange(96).reshape(12, 8))
        where.set(np.eye(12, 8, dtype=np.uint8))
        for count in (50, 70, 90):
            simulation.run(count, progress=False)
            rate.value = count / 100
            a.local()[0][0, 0] += 1.0
        assert (_replays(simulation) > 0) == (device != "cpu")
        found.append((totals, a.gather().tobytes()))
    assert len(found[0][0]) == 5
    assert found[0] == found[1]


def test_steps_that_read_the_time_are_not_replayed():
    found = []
    for device in ("cpu", "emulated"):
        grid = hc.Grid((12, 8), periodic=True)
        a = grid.field("a")

        @hc.kernel
        def heat(a, *, time):
            a[0, 0] = a + 0.25 * time

        simulation = hc.Simulation(grid, [heat(a, time=hc.time)], device=device, check_every=0)
        simulation.run(60, progress=False)
        assert _replays(simulation) == 0
        found.append(a.gather().tobytes())
    assert found[0] == found[1]


@pytest.mark.parametrize("layout", ["soa", "aos"])
@pytest.mark.parametrize("device", ["cpu", "emulated:3"])
def test_other_libraries_get_a_field_where_it_is(device, layout):
    grid = hc.Grid((6, 5), periodic=True)
    a = grid.field("a", dtype="float32")
    pair = grid.field("pair", components=2, layout=layout)

    @hc.kernel
    def double(a, pair):
        a[0, 0] = a * 2.0
        pair[1][0, 0] = pair[0] + 1.0

    simulation = hc.Simulation(grid, [double(a, pair)], device=device, blocks=2)
    before = np.arange(30, dtype="float32").reshape(6, 5)
    a.set(before)
    simulation.run(1, progress=False)
    for field in (a, pair):
        arrays = [np.from_dlpack(there) for there in field.on_device()]
        assert [array.shape for array in arrays] == [here.shape for here in field.local()]
        assert {array.dtype for array in arrays} == {np.dtype(field.dtype)}
    for there, other in zip(a.on_device(), pair.on_device(), strict=True):
        np.from_dlpack(there)[...] += 1.0
        np.from_dlpack(other)[0] = 7.0
    simulation.run(1, progress=False)
    assert np.array_equal(a.gather(), (before * 2.0 + 1.0) * 2.0)
    assert (pair.gather()[1] == 8.0).all()


def test_a_transport_must_fit_where_fields_lie():
    with pytest.raises(
        PlanError,
        match=r"transport='shared', but fields lie in the memory of the device; for devices there "
        r"are: peer, from-device, via-host, box-copies\. transport='auto' takes what fits\.",
    ):
        _heat(device="emulated", strategy=hc.Strategy(transport="shared"))
    with pytest.raises(PlanError, match="'via-host', but fields lie in the memory of the proc"):
        _heat(strategy=hc.Strategy(transport="via-host"))


class LostDevice:
    """A runtime whose device is lost."""

    def view(self, slot, block, will_write):
        raise _core.DeviceError("it is gone")

    def device_view(self, slot, block, dimensions):
        raise _core.DeviceError("it is gone")


def test_values_of_a_lost_device_are_missed_by_name():
    grid, simulation = _heat(device="emulated")
    simulation.run(1, progress=False)
    grid.fields["T"].storage.runtime = LostDevice()
    with pytest.raises(DeviceError) as caught:
        grid.fields["T"].gather()
    assert str(caught.value) == "The values of field 'T' do not come from the device: it is gone."
    with pytest.raises(DeviceError) as caught:
        grid.fields["T"].on_device()
    assert str(caught.value) == "The values of field 'T' do not come to the device: it is gone."


@pytest.mark.parametrize(
    ("device", "wanted", "found"), [("cpu", None, 64), ("emulated", None, 128), ("cpu", 8, 8)]
)
def test_rows_are_as_long_as_the_alignment_wants(device, wanted, found):
    grid = hc.Grid((9, 5), periodic=False)
    field = grid.field("a", alignment=wanted)

    @hc.kernel
    def double(a):
        a[0, 0] = 2.0 * a

    hc.Simulation(grid, [double(field)], device=device).run(1, progress=False)
    (values,) = field.local()
    assert values.strides == (8, -(-9 * 8 // found) * found)
    assert values.ctypes.data % found == 0


def test_components_lie_side_by_side_where_it_is_said():
    grid = hc.Grid((9, 5), periodic=False)
    fields = [grid.field(layout, components=3, layout=layout) for layout in ("aos", "soa")]

    @hc.kernel
    def double(a, b):
        for i in range(3):
            a[i][0, 0] = 2.0 * b[i]

    hc.Simulation(grid, [double(*fields)]).run(1, progress=False)
    assert fields[0].local()[0].strides == (8, 24, 256)
    assert fields[1].local()[0].strides[1:] == (8, 128)


def test_the_interpreter_runs_on_the_processor_only():
    with pytest.raises(PlanError, match="'numpy' runs on the processor; the device 'emulated'"):
        _heat(device="emulated", target="numpy")
