"""A program with fields of related spaces, and what it means in plain NumPy."""

import numpy as np

import halocline as hc


@hc.kernel
def climb(depth):
    depth[0, 0] = depth[0, 0] + hc.index("x")


@hc.kernel
def mix(T, depth, profile):
    T[0, 0, 0] = 0.5 * (depth[1, 0] + depth[0, -1]) + profile[0] + T[0, 0, 0]


@hc.kernel
def coarsen(T, R):
    R[0, 0, 0] = T[0, 0, 0] + T[-1, 0, 0] - T[2, 1, 1]


@hc.kernel
def refine(T, R):
    T[0, 0, 0] = 0.25 * R[1, 0, 0] + 0.5 * R[0, -1, 0] + 0.1 * T[0, 0, 0] * hc.index("x")


@hc.kernel
def flow(T, u):
    u[0, 0, 0] = T[0, 0, 0] - T[0, 0, -1]


@hc.kernel
def gather(T, u):
    T[0, 0, 0] = T[0, 0, 0] + 0.1 * (u[0, 0, 1] - u[0, 0, 0])


@hc.sweep("z-")
def descend(above, T, P, *, share):
    P[0, 0, 0] = above + 0.5 * T[1, 0, 0]
    return 0.5 * above + share * T[0, 0, 0]


class Related:
    """A volume, a surface, a profile, a coarser grid, faces and columns.

    Attributes:
        grid: The finest grid.
        fields: By name.
        steps: A time step.
    """

    def __init__(self, extent=(8, 8, 4)):
        self.extent = extent
        self.grid = hc.Grid(extent, periodic=(True, False, False))
        coarse = self.grid.coarsen(2)
        self.fields = {name: self.grid.field(name) for name in ("T", "P")}
        self.fields |= {"depth": self.grid.field("depth", axes="xy")}
        self.fields |= {"bottom": self.grid.field("bottom", axes="xy")}
        self.fields |= {"profile": self.grid.field("profile", axes="z")}
        self.fields |= {"u": self.grid.field("u", location="z_face"), "R": coarse.field("R")}
        T, P, depth, bottom, profile, u, R = self.fields.values()
        for field in (T, R):
            for side in ("y-", "y+", "z-", "z+"):
                field.boundary(side, hc.Neumann(0.0))
        depth.boundary("y-", hc.Dirichlet(1.0))
        depth.boundary("y+", hc.Neumann(0.5))
        random = np.random.default_rng(1)
        self.given = {name: random.random(self.fields[name].space.shape) for name in _GIVEN}
        for name, values in self.given.items():
            self.fields[name].set(values)
        self.steps = [
            climb(depth),
            mix(T, depth, profile),
            coarsen(T, R),
            refine(T, R),
            flow(T, u),
            gather(T, u),
            descend(T, P, start=depth, end=bottom, share=0.3),
        ]
        self.total = hc.sum(T * depth)

    def expected(self, steps):
        """Return what the fields hold after some steps, computed by NumPy alone."""
        T, depth, profile = (self.given[name] for name in _GIVEN)
        nx, ny, nz = self.extent
        for _ in range(steps):
            depth = depth + np.arange(nx)[:, None]
            below = np.concatenate([2.0 - depth[:, :1], depth[:, :-1]], axis=1)
            T = 0.5 * (np.roll(depth, -1, 0) + below)[:, :, None] + profile + T
            padded = _padded(T, 2)

            def seen(x, y, z, padded=padded):
                return padded[2 + x :, 2 + y :, 2 + z :][:nx:2, :ny:2, :nz:2]

            R = seen(0, 0, 0) + seen(-1, 0, 0) - seen(2, 1, 1)
            coarse = _padded(R, 1)[:, :, 1:-1]
            right, back = coarse[2:, 1:-1], coarse[1:-1, :-2]
            x = np.arange(nx)[:, None, None]
            T = 0.25 * _repeated(right) + 0.5 * _repeated(back) + 0.1 * T * x
            u = np.diff(_padded(T, 1)[1:-1, 1:-1], axis=2)
            T = T + 0.1 * np.diff(u, axis=2)
            P, carry = np.empty(self.extent), depth
            for z in reversed(range(nz)):
                P[:, :, z] = carry + 0.5 * np.roll(T, -1, 0)[:, :, z]
                carry = 0.5 * carry + 0.3 * T[:, :, z]
        return {"T": T, "P": P, "depth": depth, "bottom": carry, "u": u, "R": R}


_GIVEN = ("T", "depth", "profile")


def _padded(values, width):
    """Return values with what lies beyond the sides: images along x, mirrored along y and z."""
    wrapped = np.pad(values, ((width, width), (0, 0), (0, 0)), mode="wrap")
    return np.pad(wrapped, ((0, 0), (width, width), (width, width)), mode="symmetric")


def _repeated(values):
    return values.repeat(2, 0).repeat(2, 1).repeat(2, 2)
