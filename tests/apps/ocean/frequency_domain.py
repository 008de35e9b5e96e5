"""The tidal box in the frequency domain: a linear system, of which no part is the model's."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csc_matrix
from scipy.sparse.linalg import spsolve


def tide_in_frequency_domain(n, f=1.2e-4, r=1e-3, depth=60.0, size=480e3, period=43200.0):
    """Return the complex elevation of each cell of Büchmann & Baasch-Larsen's box.

    With d/dt = i omega the discrete equations of a C grid with linear friction are linear in the
    elevations and transports, which are the unknowns here. The box is closed but for its last row
    of cells, whose elevation is 0.5; transports along that row are those of the row before.
    """
    g, omega, dx = 9.81, 2 * np.pi / period, size / n
    numbers = np.arange(n * n + 2 * n * (n + 1))
    z = numbers[: n * n].reshape(n, n)
    u = numbers[n * n : n * n + n * (n + 1)].reshape(n + 1, n)
    v = numbers[n * n + n * (n + 1) :].reshape(n, n + 1)
    entries, right = [], np.zeros(len(numbers), complex)

    def add(rows, columns, value):
        entries.append((rows.ravel(), columns.ravel(), np.full(rows.size, value, complex)))

    sea, given = z[:, :-1], z[:, -1]
    add(given, given, 1.0)
    right[given] = 0.5
    add(sea, sea, 1j * omega)
    for of, sign in ((u[1:, :-1], 1), (u[:-1, :-1], -1), (v[:, 1:-1], 1), (v[:, :-2], -1)):
        add(sea, of, sign / dx)
    for closed in (u[[0, -1]], v[:, [0, -1]]):
        add(closed, closed, 1.0)
    along, before = u[1:-1, -1], u[1:-1, -2]
    add(along, along, 1.0)
    add(along, before, -1.0)
    flows = u[1:-1, :-1]
    add(flows, flows, 1j * omega + r / depth)
    add(flows, z[1:, :-1], g * depth / dx)
    add(flows, z[:-1, :-1], -g * depth / dx)
    for of in (v[1:, :-2], v[:-1, :-2], v[1:, 1:-1], v[:-1, 1:-1]):
        add(flows, of, -0.25 * f)
    flows = v[:, 1:-1]
    add(flows, flows, 1j * omega + r / depth)
    add(flows, z[:, 1:], g * depth / dx)
    add(flows, z[:, :-1], -g * depth / dx)
    for of in (u[:-1, 1:], u[1:, 1:], u[:-1, :-1], u[1:, :-1]):
        add(flows, of, 0.25 * f)
    rows, columns, values = (np.concatenate(part) for part in zip(*entries, strict=True))
    matrix = csc_matrix((values, (rows, columns)), shape=(len(numbers),) * 2)
    return spsolve(matrix, right)[: n * n].reshape(n, n)
