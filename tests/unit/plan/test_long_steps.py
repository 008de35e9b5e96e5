"""Steps of many kernels that read far between walls are planned in seconds."""

import time

import pytest

import halocline as hc
from halocline.plan.pipeline import plan_for

SIDES = ("x-", "x+", "y-", "y+")


def reads_far(kernels: int, distance: int):
    """Return a grid and kernels that read so far: on each side there are as many layers."""
    grid = hc.Grid((256, 256))
    a, b = grid.field("a"), grid.field("b")
    for field in (a, b):
        for side in SIDES:
            field.boundary(side, hc.Neumann(0.0))

    @hc.kernel
    def relax(a, b):
        b[0, 0] = 0.2 * (a[0, 0] + a[distance, 0] + a[-distance, 0] + a[0, distance])

    return grid, [relax(a, b) if n % 2 else relax(b, a) for n in range(kernels)]


def v_cycle(levels: int):
    """Return a grid and a V-cycle: level l lives in the cells of a mask, 2^l apart."""
    grid = hc.Grid((64, 64))
    masks = [grid.field(f"level{n}", dtype="uint8") for n in range(levels)]
    u = [grid.field(f"u{n}") for n in range(levels)]
    f = [grid.field(f"f{n}") for n in range(levels)]
    t = grid.field("t")
    for field in (*u, *f, t):
        for side in SIDES:
            field.boundary(side, hc.Dirichlet(0.0))

    def smooth(n):
        h = 2**n

        @hc.kernel
        def smooth(u, f, t):
            t[0, 0] = 0.25 * (u[h, 0] + u[-h, 0] + u[0, h] + u[0, -h] - f[0, 0])

        @hc.kernel
        def copy(t, u):
            u[0, 0] = t[0, 0]

        return [smooth(u[n], f[n], t, on=masks[n]), copy(t, u[n], on=masks[n])] * 2

    def down(n):
        h = 2**n

        @hc.kernel
        def residual(u, f, t):
            t[0, 0] = f[0, 0] - u[h, 0] - u[-h, 0] - u[0, h] - u[0, -h] + 4.0 * u[0, 0]

        @hc.kernel
        def restrict(t, f):
            f[0, 0] = 0.25 * t[0, 0] + 0.125 * (t[h, 0] + t[-h, 0] + t[0, h] + t[0, -h])

        return [residual(u[n], f[n], t, on=masks[n]), restrict(t, f[n + 1], on=masks[n + 1])]

    def up(n):
        h = 2**n

        @hc.kernel
        def prolong(c, u):
            u[0, 0] = u[0, 0] + c[0, 0] + 0.5 * (c[h, 0] + c[-h, 0] + c[0, h] + c[0, -h])

        return [prolong(u[n + 1], u[n], on=masks[n])]

    inner = range(levels - 1)
    steps = [step for n in inner for step in (*smooth(n), *down(n))] + smooth(levels - 1)
    return grid, steps + [step for n in reversed(inner) for step in (*up(n), *smooth(n))]


@pytest.mark.parametrize(
    ("make", "ranks"),
    [
        (lambda: reads_far(80, 16), 1),
        (lambda: reads_far(40, 16), 4),
        (lambda: v_cycle(4), 1),
        (lambda: v_cycle(4), 3),
    ],
    ids=["80 kernels", "40 kernels on 4 ranks", "V-cycle", "V-cycle on 3 ranks"],
)
def test_a_long_step_is_planned_in_little_time(make, ranks):
    grid, steps = make()
    # Two thirds of that on a processor of its own.
    limit = 80 * min(_taken(lambda: sum(n * n for n in range(1_000_000))) for _ in range(3))
    assert _taken(lambda: plan_for(grid, steps, ranks=ranks)) < limit


def _taken(work):
    """Return the processor time of some work [s]."""
    started = time.process_time()
    work()
    return time.process_time() - started
