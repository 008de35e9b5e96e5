"""What advection promises: the errors that others found, and that nothing is lost or made up."""

import numpy as np
import pytest
from published_advection import ONE_REVOLUTION, ONE_TURN

import halocline as hc
from halocline.apps.ocean.numerics.advection import Advection
from halocline.apps.ocean.numerics.limiters import SCHEMES
from halocline.apps.ocean.numerics.metric import EARTH_RADIUS, as_fields, cartesian, spherical
from halocline.apps.ocean.numerics.tracer_flow import Flow
from halocline.plan.value.operations import Start, walk

LIMITED = ("UPSTREAM", "SUPERBEE", "MUSCL", "P2_PDM")
WAYS = ("strang", "full", "unsplit", "flux_corrected")


# --- 1. Two dimensions: published errors ----------------------------------------------------------


def plane(cells, tracers=1, **grid):
    """Return a flow at rest in water 1 m deep on the unit square, and tracers."""
    square = hc.Grid(cells, spacing=1 / cells[0], **grid)
    names = {"p": "x_face", "q": "y_face", "before": "center", "after": "center"}
    names |= {"depth_u": "x_face", "depth_v": "y_face"}
    fields = {name: square.field(name, location=place) for name, place in names.items()}
    for name in ("before", "after", "depth_u", "depth_v"):
        fields[name].set(1.0)
    found = [square.field(f"c{number}") for number in range(tracers)]
    close(Flow(**fields), found)
    return Flow(**fields), found, cartesian(1 / cells[0], 1 / cells[0])


def close(flow, tracers):
    """Give fields what is beyond the sides of a basin."""
    sides = flow.before.grid.sides
    for field in flow:
        if not isinstance(field, hc.Field) or not sides or field.location == "center":
            continue
        ends = [side for side in sides if side[0] == field.location[0]]
        if field in (flow.p, flow.q, flow.w):
            field.boundary(ends, hc.Dirichlet(0.0))
        else:
            field.boundary(ends, hc.Dirichlet(False) if field.dtype == "bool" else hc.Neumann(0.0))
    for tracer in tracers:
        if sides:
            tracer.boundary(sides, hc.Neumann(0.0))


@pytest.mark.parametrize("scheme", SCHEMES)
def test_one_revolution_has_the_errors_of_the_table(scheme):
    n = 50
    flow, (smooth, box), metric = plane((n, 2), tracers=2, periodic=True)
    x = (np.arange(n) + 0.5) / n
    begun = 2 + np.sin(2 * np.pi * x), 1.0 * (abs(x - 0.5) < 0.15)
    flow.p.set(1.0)
    for field, values in zip((smooth, box), begun):
        field.set(values[:, None] * np.ones(2))
    steps = Advection(flow, metric, 0.4 / n, scheme).full(smooth, box)
    hc.Simulation(flow.before.grid, [*steps]).run(round(n / 0.4), progress=False)
    errors = [abs(f[:, 0] - c).mean() for f, c in zip((smooth, box), begun)]
    assert errors == pytest.approx(ONE_REVOLUTION[scheme], rel=0.02)


def rotation(scheme, way="strang", n=100):
    """Return the bell and the slotted cylinder before and after one turn."""
    flow, tracers, metric = plane((n, n), tracers=2)
    corner = np.linspace(-0.5, 0.5, n + 1)
    psi = np.pi * n * np.minimum(corner[:, None] ** 2 + corner**2, 0.25)
    p, q = -np.diff(psi, axis=1), np.diff(psi, axis=0)
    x, y = np.meshgrid(*2 * [(np.arange(n) + 0.5) / n], indexing="ij")
    r = np.hypot(x - 0.5, y - 0.25)
    bell = np.where(r < 0.15, 0.5 * (1 + np.cos(np.pi * r / 0.15)), 0.0)
    in_slot = (x > 0.475 - 1e-9) & (x < 0.525 - 1e-9) & (y < 0.85)
    slot = 1.0 * ((np.hypot(x - 0.5, y - 0.75) < 0.15) & ~in_slot)
    flow.p.set(p), flow.q.set(q)
    for tracer, values in zip(tracers, (bell, slot)):
        tracer.set(values)
    turn = int(np.ceil(n * max(abs(p).max(), abs(q).max()) / 0.5))
    steps = getattr(Advection(flow, metric, 1 / turn, scheme), way)(*tracers)
    hc.Simulation(flow.before.grid, [*steps], check_every=0).run(turn, progress=False)
    return [(values, tracer[:, :]) for tracer, values in zip(tracers, (bell, slot))]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_one_turn_of_a_solid_body_has_the_errors_of_the_table(scheme):
    (bell, turned_bell), (slot, turned_slot) = rotation(scheme)
    first, second = turned_bell - bell, turned_slot - slot
    l2 = np.sqrt((first**2).sum() / (bell**2).sum())
    of_bell = abs(first).sum() / bell.sum(), l2, turned_bell.max()
    of_slot = abs(second).sum() / slot.sum(), turned_slot.max()
    assert of_bell == pytest.approx(ONE_TURN[scheme][0], rel=0.02)
    assert of_slot == pytest.approx(ONE_TURN[scheme][1], rel=0.02)
    for before, after in ((bell, turned_bell), (slot, turned_slot)):
        assert abs(after.sum() / before.sum() - 1) <= 1e-14
        if scheme in LIMITED:
            assert after.min() >= -1e-15
            assert after.max() <= 1 + 1e-15


def test_corrected_fluxes_make_no_new_extremum_in_a_turn():
    for before, after in rotation("P2", "flux_corrected", n=50):
        assert abs(after.sum() / before.sum() - 1) <= 1e-14
        assert after.min() >= -1e-15
        assert after.max() <= 1 + 1e-15


# --- 2. Three dimensions: a basin with an island and a moving surface -----------------------------

EXTENT, DT, ON_LAND = (14, 12, 5), 100.0, -999.0
FRACTION = np.array([0.1, 0.15, 0.2, 0.25, 0.3])


class Basin:
    """A basin in NumPy: what flows through faces, depths, land. Cells lie on a sphere."""

    def __init__(self, fraction=FRACTION):
        numbers = np.random.default_rng(3)
        self.fraction = fraction
        self.extent = nx, ny, nz = (*EXTENT[:2], len(fraction))
        self.wet = np.ones((nx, ny), dtype=bool)
        self.wet[4:7, 3:6] = self.wet[:3, 8] = self.wet[9, 9] = False
        sea = np.pad(self.wet, 1)
        self.open_u = sea[1:, 1:-1] & sea[:-1, 1:-1]
        self.open_v = sea[1:-1, 1:] & sea[1:-1, :-1]
        size = 10.0 * fraction
        self.p = numbers.normal(0, size, (nx + 1, ny, nz)) * self.open_u[..., None]
        self.q = numbers.normal(0, size, (nx, ny + 1, nz)) * self.open_v[..., None]
        degree = np.pi / 180 * EARTH_RADIUS
        self.dx = 0.01 * degree * np.cos(np.radians(0.01 * (np.arange(ny) + 0.5) + 60))
        self.dx_v = 0.01 * degree * np.cos(np.radians(0.01 * np.arange(ny + 1) + 60))
        self.dy = 0.01 * degree
        self.area = (self.dx * self.dy)[None, :, None]
        self.before, self.depth_u, self.depth_v = (
            numbers.uniform(9.0, 11.0, (nx + a, ny + b)) for a, b in ((0, 0), (1, 0), (0, 1))
        )
        self.volume = [self.p * self.dy, self.q * self.dx_v[:, None]]
        outflow = sum(np.diff(v, axis=a) for a, v in enumerate(self.volume)) / self.area
        self.after = self.before - DT * outflow.sum(axis=2)
        risen = (self.after - self.before)[..., None] * self.fraction
        self.w = np.zeros((nx, ny, nz + 1))
        self.w[..., 1:-1] = np.cumsum(-outflow - risen / DT, axis=2)[..., :-1]
        self.volume.append(self.w * self.area)
        around = np.pad(self.fraction, 1, mode="edge")
        between = 0.5 * (around[1:] + around[:-1])
        middle = 0.5 * (self.before + self.after)[..., None]
        self.speed = [  # Courant numbers for a second
            abs(self.p) / self.dx[:, None] / (self.depth_u[..., None] * self.fraction),
            abs(self.q) / self.dy / (self.depth_v[..., None] * self.fraction),
            abs(self.w) / between / middle,
        ]
        column = np.pad(
            np.broadcast_to(self.wet[..., None], self.extent)[..., 1:], ((0, 0),) * 2 + ((1, 1),)
        )
        self.open = [self.open_u[..., None], self.open_v[..., None], column]

    def tracer(self, seed):
        """Return values between 0 and 1."""
        return np.random.default_rng(seed).random(self.extent)

    def content(self, c, depth):
        """Return what there is of a tracer."""
        return (c * depth[..., None] * self.fraction * self.area)[self.wet].sum()

    def stepped(self, c, scheme, sequence):
        """Return a tracer after fractional steps in flux form, and the thickness, as published."""
        h = self.before[..., None] * self.fraction
        for axis, dt in sequence:
            flux = self.volume[axis] * self.on_faces(c, axis, scheme, dt)
            h_new = h - dt * np.diff(self.volume[axis], axis=axis) / self.area
            c = (h * c - dt * np.diff(flux, axis=axis) / self.area) / h_new
            h = h_new
        return c, h

    def on_faces(self, c, axis, scheme, dt):
        """Return the values of a tracer on the faces across an axis."""

        def beside(values, first, count):
            return np.take(values, range(first, first + count), axis)

        n, is_open = self.extent[axis] + 1, self.open[axis]
        ends = [(2, 2) if a == axis else (0, 0) for a in range(3)]
        cells = np.pad(c, ends, mode="edge")
        faces = np.pad(is_open, [(low // 2, high // 2) for low, high in ends])
        is_along = self.volume[axis] > 0
        up, down = (
            np.where(is_along, beside(cells, 1 + a, n), beside(cells, 2 - a, n)) for a in (0, 1)
        )
        far = np.where(is_along, beside(cells, 0, n), beside(cells, 3, n))
        has_far = np.where(is_along, beside(faces, 0, n), beside(faces, 2, n))
        return through(scheme, up, down, np.where(has_far, far, up), dt * self.speed[axis])


def through(scheme, up, down, far, C):
    """Return the value on a face in the Lax-Wendroff form, with the ratio of slopes."""
    with np.errstate(all="ignore"):
        r, x = (up - far) / (down - up), (1 - 2 * C) / 6
        p2 = (0.5 + x) + (0.5 - x) * r
        bound = np.minimum(2 / (1 - C), 2 * r / (C + 1e-10))
        phi = {
            "UPSTREAM": 0 * r,
            "P2": p2,
            "SUPERBEE": np.maximum(0, np.maximum(np.minimum(1, 2 * r), np.minimum(r, 2))),
            "MUSCL": np.maximum(0, np.minimum(np.minimum(2, 2 * r), (1 + r) / 2)),
            "P2_PDM": np.maximum(0, np.minimum(p2, bound)),
        }[scheme]
        return np.where(down == up, up, up + 0.5 * phi * (1 - C) * (down - up))


STRANG = [(0, DT / 2), (1, DT / 2), (2, DT), (1, DT / 2), (0, DT / 2)]
FULL = [(0, DT), (1, DT), (2, DT)]


def stored(basin, dtype="float64", tracers=2):
    """Return a basin as a flow in fields, tracers, lengths, and where there is water."""
    grid = hc.Grid(EXTENT, spacing=(0.01, 0.01, 1.0), origin=(0.0, 60.0, 0.0))

    def field(name, values, **place):
        kind = "bool" if values.dtype == bool else dtype
        made = grid.field(name, dtype=kind, **place)
        made.set(values)
        return made

    fraction = field("fraction", FRACTION, axes="z")
    flow = Flow(
        field("p", basin.p, location="x_face"),
        field("q", basin.q, location="y_face"),
        field("before", basin.before, axes="xy"),
        field("after", basin.after, axes="xy"),
        field("depth_u", basin.depth_u, axes="xy", location="x_face"),
        field("depth_v", basin.depth_v, axes="xy", location="y_face"),
        fraction,
        fraction,
        fraction,
        field("w", basin.w, location="z_face"),
        field("open_u", basin.open_u, axes="xy", location="x_face"),
        field("open_v", basin.open_v, axes="xy", location="y_face"),
    )
    fraction.boundary(["z-", "z+"], hc.Neumann(0.0))
    values = (np.where(basin.wet[..., None], basin.tracer(n), ON_LAND) for n in range(tracers))
    fields = [field(f"c{n}", value) for n, value in enumerate(values)]
    close(flow, fields)
    return (
        flow,
        fields,
        as_fields(grid, spherical(grid.spacing[:2], grid.origin[1], grid.extent[1])),
        field("wet", basin.wet, axes="xy"),
    )


def advected(way="strang", scheme="P2_PDM", basin=None, dtype="float64", run=None, **how):
    """Return two tracers in the water after one step."""
    basin = basin or Basin()
    flow, fields, metric, wet = stored(basin, dtype)
    steps = getattr(Advection(flow, metric, DT, scheme, on=wet, **how), way)(*fields)
    hc.Simulation(flow.p.grid, [*steps], **(run or {})).run(1, progress=False)
    return [field[:, :, :][basin.wet] for field in fields]


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(("way", "sequence"), [("strang", STRANG), ("full", FULL)])
def test_a_step_among_islands_is_that_of_the_flux_form(way, sequence, scheme):
    basin = Basin()
    for number, found in enumerate(advected(way, scheme)):
        expected, thickness = basin.stepped(basin.tracer(number), scheme, sequence)
        assert np.allclose(found, expected[basin.wet], rtol=0, atol=1e-13)
        assert np.allclose(
            thickness[basin.wet], (basin.after[..., None] * FRACTION)[basin.wet], 1e-13
        )


# What a flow without layers, between closed sides, does not have.
SHARED = {"fraction", "fraction_u", "fraction_v", "w", "around", "least", "inner", "flows_on"}


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_step_of_the_whole_depth_is_that_of_the_flux_form(scheme):
    basin = Basin(fraction=np.ones(1))
    flat = hc.Grid(EXTENT[:2], spacing=(0.01, 0.01), origin=(0.0, 60.0))
    fields = {}
    for name in set(Flow._fields) - SHARED:
        place = {"p": "x_face", "q": "y_face", "u": "x_face", "v": "y_face"}.get(name[-1], "center")
        kind = "bool" if "open" in name else "float64"
        fields[name] = flat.field(name, dtype=kind, location=place)
        values = getattr(basin, name)
        fields[name].set(values[..., 0] if values.ndim == 3 else values)
    flow, c, wet = Flow(**fields), flat.field("c"), flat.field("wet", dtype="bool")
    c.set(np.where(basin.wet, basin.tracer(0)[..., 0], ON_LAND)), wet.set(basin.wet)
    close(flow, [c])
    steps = Advection(
        flow,
        as_fields(flat, spherical(flat.spacing, flat.origin[1], flat.extent[1])),
        DT,
        scheme,
        on=wet,
    ).strang(c)
    hc.Simulation(flat, [*steps]).run(1, progress=False)
    expected, _ = basin.stepped(basin.tracer(0), scheme, [(0, DT / 2), (1, DT), (0, DT / 2)])
    assert np.allclose(c[:, :][basin.wet], expected[basin.wet][:, 0], rtol=0, atol=1e-13)


@pytest.mark.parametrize("way", WAYS)
def test_what_is_in_a_basin_stays_there(way):
    basin = Basin()
    for number, found in enumerate(advected(way)):
        after = np.zeros(EXTENT)
        after[basin.wet] = found
        begun = basin.content(basin.tracer(number), basin.before)
        assert basin.content(after, basin.after) == pytest.approx(begun, rel=1e-14)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("way", WAYS)
def test_a_constant_stays_the_same_number(way, dtype):
    basin = Basin()
    basin.tracer = lambda _: np.full(EXTENT, 34.7)
    for found in advected(way, basin=basin, dtype=dtype):
        assert (found == np.dtype(dtype).type(34.7)).all()


@pytest.mark.parametrize("scheme", LIMITED)
def test_limited_schemes_stay_between_the_values_around_islands(scheme):
    for found in advected(scheme=scheme):
        assert found.min() >= -1e-15
        assert found.max() <= 1 + 1e-15


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "run",
    [
        {"blocks": 4},
        {"blocks": 6, "strategy": hc.Strategy(overlap="rim-first")},
        {"blocks": 2, "strategy": hc.Strategy(overlap="none", neighbours="staged")},
    ],
    ids=["blocks", "rim-first", "staged"],
)
def test_blocks_and_strategies_make_no_difference(way, run):
    assert np.array_equal(advected(way), advected(way, run=run))


def test_single_precision_is_near():
    assert np.allclose(advected(dtype="float32"), advected(), rtol=0, atol=2e-6)


@pytest.mark.parametrize("way", WAYS)
def test_a_basin_in_a_mirror_gives_the_mirror_image(way):
    basin, mirrored = Basin(), Basin()
    for name in ("wet", "open_u", "open_v", "p", "q", "w", "before", "after", "depth_u", "depth_v"):
        values = getattr(basin, name)[::-1]
        setattr(mirrored, name, -values if name == "p" else values)
    mirrored.tracer = lambda seed: basin.tracer(seed)[::-1]
    for found, image in zip(advected(way, basin=basin), advected(way, basin=mirrored)):
        expected, seen = np.zeros((2, *EXTENT))
        expected[basin.wet], seen[mirrored.wet] = found, image
        assert np.array_equal(seen, expected[::-1])


# --- 3. Columns -----------------------------------------------------------------------------------


def overturning(levels, steps):
    """Return a tracer before and after steps of water that turns over between columns."""
    grid = hc.Grid((2, 2, levels), spacing=(1000.0, 1000.0, 1.0))
    names = {"p": "x_face", "q": "y_face", "w": "z_face"}
    fields = {name: grid.field(name, location=place) for name, place in names.items()}
    for name, place in zip(
        ("before", "after", "depth_u", "depth_v"), 2 * ("center",) + ("x_face", "y_face")
    ):
        fields[name] = grid.field(name, axes="xy", location=place)
        fields[name].set(10.0)
    fraction = grid.field("fraction", axes="z")
    fraction.set(1 / levels)
    fraction.boundary(["z-", "z+"], hc.Neumann(0.0))
    fields |= dict.fromkeys(("fraction", "fraction_u", "fraction_v"), fraction)
    flow, c = Flow(**fields), grid.field("c")
    close(flow, [c])
    p = np.zeros((3, 2, levels))
    p[1] = np.where(np.arange(levels) < levels // 2, 1.0, -1.0) * 4.0 / levels
    w = np.zeros((2, 2, levels + 1))
    w[..., 1:] = np.cumsum(-np.diff(p, axis=0) / 1000.0, axis=2)
    w[..., -1] = 0.0
    flow.p.set(p), flow.w.set(w)
    begun = np.random.default_rng(5).random((2, 2, levels))
    c.set(begun)
    advection = Advection(flow, cartesian(1000.0, 1000.0), 1000.0)
    hc.Simulation(grid, [*advection.strang(c)]).run(steps, progress=False)
    return begun, c[:, :, :], abs(w).max() * 1000.0 / (10.0 / levels)


def test_columns_stay_between_their_values_at_large_courant_numbers():
    begun, found, courant = overturning(levels=40, steps=50)
    assert courant > 5
    assert found.sum() == pytest.approx(begun.sum(), rel=1e-14)
    assert found.min() >= begun.min()
    assert found.max() <= begun.max()
    assert np.ptp(found, axis=(0, 2)).max() < 0.05  # it is mixed


# --- 4. What ranks send ---------------------------------------------------------------------------


@hc.kernel
def stir(p, c, *, axis):
    p[0, 0, 0] = p + hc.at(c, **{axis: -1})


def exchanges(*, is_stirred, **how):
    """Return a plan of one of 4 x 4 ranks, and what it sends in each exchange of a step."""
    grid = hc.Grid((64, 64, 8))
    places = {"p": "x_face", "q": "y_face", "w": "z_face"}
    fields = {name: grid.field(name, location=place) for name, place in places.items()}
    places = {"before": "center", "after": "center", "depth_u": "x_face", "depth_v": "y_face"}
    for name, place in places.items():
        fields[name] = grid.field(name, axes="xy", location=place)
    flow = Flow(**fields, fraction=1 / 8)
    tracers = [grid.field("T"), grid.field("S")]
    close(flow, tracers)
    stirring = [stir(flow.p, tracers[0], axis="x"), stir(flow.q, tracers[0], axis="y")]
    steps = Advection(flow, cartesian(1.0, 1.0), 1.0, **how).strang(*tracers)
    plan = hc.plan_for(
        grid, [*stirring * is_stirred, *steps], ranks=16, rank=5, decomposition=(4, 4, 1)
    )
    started = [op.exchange for op in walk(plan.steps[0]) if isinstance(op, Start)]
    return plan, [plan.exchanges[number].sends for number in started]


@pytest.mark.parametrize("scheme", ["P2_PDM", "SUPERBEE", "UPSTREAM"])
def test_all_tracers_share_four_exchanges_with_two_neighbours_each(scheme):
    plan, found = exchanges(is_stirred=False, scheme=scheme)
    along_x, along_y = {4, 6}, {1, 9}
    assert [{m.target for m in sends} for sends in found] == [along_x, along_y, along_y, along_x]
    width = 1 if scheme == "UPSTREAM" else 2
    layer_of_both = 2 * 16 * 8 * 8  # bytes
    assert all(plan.bytes_of(m.parts) == width * layer_of_both for m in sum(found, ()))


def test_transports_and_thicknesses_take_no_further_message():
    _, found = exchanges(is_stirred=True)
    assert [{m.target for m in sends} for sends in found[1:]] == [{1, 9}, {1, 9}, {4, 6}]
    sent = {(part.field, part.direction) for m in sum(found, ()) for part in m.parts}
    assert {place for field, place in sent if field == "p"} == {(1, 0, 0)}
    assert {place for field, place in sent if field == "q"} == {(0, 1, 0)}
    assert not {"w", "before", "after"} & {field for field, _ in sent}
