"""Random forests and steps on them, which any ranks and strategies do to the same bits."""

from __future__ import annotations

from random import Random

import numpy as np
from msgspec.structs import replace
from parallel.on_forests import digest
from property.executions import draw_strategy
from unit.forests.test_leaves import random_wanted

import halocline as hc
from halocline.errors import GridError, HaloclineError, PlanError

BLOCK, STEPS = 4, 2
COUPLINGS = ("linear", "quadratic", "constant", "none")


class Drawn:
    """A forest with fields T, T_new, S and fluxes, and some steps; drawn from a seed."""

    def __init__(self, seed: int) -> None:
        self.random = random = Random(f"forest {seed}")
        self.dimensions = random.choice((1, 2, 2, 2, 3))
        least, most = ((3, 6), (2, 4), (2, 2))[self.dimensions - 1]
        extent = tuple(BLOCK * random.randint(least, most) for _ in self.axes)
        finest, wanted = random.choice((1, 2)), random_wanted(seed, extent)
        self.forest = hc.Forest(
            extent,
            block=BLOCK,
            # Levels without blocks change nothing.
            finest=finest + random.choice((0, 0, 2)),
            refine=lambda *at: np.minimum(wanted(*at), finest),
            periodic=tuple(random.random() < 0.6 for _ in self.axes),
            substeps=random.choice((1, 2)),
        )
        smooth = random.choice(("linear", "quadratic", "constant"))
        self.T, self.T_new = (self.forest.field(n, coupling=smooth) for n in ("T", "T_new"))
        self.S = self.forest.field("S", coupling=random.choice(COUPLINGS))
        coupling = random.choice(("flux", "flux", "none"))
        names = [f"{'xyz'[axis]}_face" for axis in self.axes]
        self.fluxes = [self.forest.field(f"F{n}", location=n, coupling=coupling) for n in names]
        self._close_sides()
        self.steps = self._steps()
        start = [random.uniform(0.2, 0.9) for _ in self.axes]
        self.T.set(lambda *at: sum(np.sin(k * x + k) for k, x in zip(start, at, strict=True)))

    @property
    def axes(self) -> range:
        """The axes."""
        return range(self.dimensions)

    def _close_sides(self) -> None:
        for side in self.forest.sides:
            given = self.random.choice((hc.Neumann(0.0), hc.Dirichlet(0.3)))
            for field in (self.T, self.T_new, self.S):
                field.boundary(side, given)
            # Without a flux of its own a side lets through what the values beside it say.
            if self.random.random() < 0.6:
                through = hc.Dirichlet(self.random.choice((0.0, 0.01)))
                self.fluxes["xyz".index(side[0])].boundary(side, through)

    def _steps(self) -> list:
        every = self._look, self._conduct, self._relax, self._move
        kinds = [self.random.choice(every) for _ in range(3)]
        found = [step for kind in kinds[: self.random.randint(1, 3)] for step in kind()]
        if self.random.random() < 0.3:
            found.append(hc.repeat(2, *self._relax()))
        if self.random.random() < 0.3:
            found.append(hc.every(2, *self._look()))
        return [*found, hc.sum(self.T)] if self.random.random() < 0.5 else found

    def _offset(self) -> tuple[int, ...]:
        return tuple(self.random.choice((-1, 0, 0, 1)) for _ in self.axes)

    def _look(self) -> list:
        """Return a kernel that reads T anywhere near, and maybe one that reads what it has left."""
        near = [self._offset() for _ in range(self.random.randint(1, 3))]

        @hc.kernel
        def look(T, S):
            S[...] = sum(T[offset] for offset in near)

        back = self._offset()

        @hc.kernel
        def use(S, T):
            T[...] = 0.9 * T[...] + 0.01 * S[back]

        steps = [look(self.T, self.S)]
        return steps + [use(self.S, self.T)] * (self.random.random() < 0.5)

    def _move(self) -> list:
        """Return a kernel that only moves values, and one that uses them."""
        way, back = self._offset(), self._offset()

        @hc.kernel
        def move(T, S):
            S[...] = T[way]

        @hc.kernel
        def use(S, T):
            T[...] = 0.5 * S[...] + 0.4 * S[back]

        @hc.kernel
        def spread(S, T_new):
            T_new[...] = 0.5 * S[...] + 0.4 * S[back]

        if self.random.random() < 0.5:
            return [move(self.T, self.S), use(self.S, self.T)]
        return [move(self.T, self.S), spread(self.S, self.T_new), hc.swap(self.T, self.T_new)]

    def _conduct(self) -> list:
        """Return what moves content from cell to cell."""
        axes, here = self.axes, (0,) * self.dimensions
        rate = hc.PerLevel(lambda level: 0.02 * 2**level)

        def beside(axis: int, step: int) -> tuple[int, ...]:
            return tuple(step if a == axis else 0 for a in axes)

        def conduct(T, *fluxes, k):
            for axis, flux in enumerate(fluxes):
                flux[here] = -k * (T[here] - T[beside(axis, -1)])

        def balance(T, *fluxes):
            out = sum(flux[beside(axis, 1)] - flux[here] for axis, flux in enumerate(fluxes))
            T[here] = T[here] - out

        given = self.T, *self.fluxes
        return [_kernel(conduct, given, k=rate)(*given, k=rate), _kernel(balance, given)(*given)]

    def _relax(self) -> list:
        """Return a kernel of a field and another, which then change places."""
        rate, near = hc.PerLevel(lambda level: 0.03 * 2**level), [self._offset() for _ in range(2)]

        @hc.kernel
        def relax(T, T_new, *, a):
            T_new[...] = T[...] + a * sum(T[offset] - T[...] for offset in near)

        return [relax(self.T, self.T_new, a=rate), hc.swap(self.T, self.T_new)]


def _kernel(function, fields, **keywords):
    """Return a kernel of a function of any number of fields."""
    names = ", ".join(f"f{n}" for n in range(len(fields)))
    given = "".join(f", {name}={name}" for name in keywords)
    signature = names + (", *, " + ", ".join(keywords) if keywords else "")
    scope = {"function": function}
    exec(f"def kernel({signature}):\n    function({names}{given})\n", scope)
    return hc.kernel(scope["kernel"])


def bits(seed: int, way: int) -> str | None:
    """Return the bits of a random forest after some steps, None if it is refused.

    Args:
        seed: Of the forest.
        way: Which random strategy; 0 for the default.
    """
    strategy, is_rebuilt = hc.Strategy(poison=True), False
    if way:
        random = Random(f"way {seed} {way}")
        # Cells of other levels cannot be computed again, nor corners ride along.
        strategy = replace(
            draw_strategy(random),
            depth=1,
            steps_in_cache=1,
            neighbours="direct",
            recompute=random.choice(("rim", "fewest-bytes", "fewest-bytes")),
            recompute_in_loops=random.choice((None, "rim", "fewest-bytes")),
        )
        is_rebuilt = random.random() < 0.5
    try:
        drawn = Drawn(seed)
        simulation = hc.Simulation(
            drawn.forest, drawn.steps, strategy=strategy, target="numpy", threads=1
        )
        simulation.run(1, progress=False)
        if is_rebuilt:
            simulation.rebuild()
        simulation.run(STEPS - 1, progress=False)
        product = simulation.reduce(hc.sum(abs(drawn.T) * drawn.S))
    except HaloclineError as error:
        if not is_legal(error):
            raise
        return None
    return f"{digest(drawn.T, drawn.S)} {product!r}"


def is_legal(error: HaloclineError) -> bool:
    """Return whether a forest may be refused so."""
    if isinstance(error, GridError):
        told = "Field 'S' has the coupling 'none', its values change", "everywhere, so all"
        return any(text in str(error) for text in told)
    return isinstance(error, PlanError) and "blocks are only" in str(error)
