"""Kernels along the borders of a forest's levels, run component by component.

Of a ghost patch others ask for some components alone, of each for cells of its own (see
'border_use.py'). Along planes that is worth a call for each; along lines calls cost more than the
cells.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from halocline.geometry import VOLUME
from halocline.language.expressions.fuse import by_component
from halocline.language.spaces.role import PATCHES
from halocline.memo import memoised

if TYPE_CHECKING:
    from halocline.plan.schedule.steps import Chain


@memoised
def with_loop_fission(chain: Chain) -> Chain:
    """Return a chain whose kernels, if on ghost patches of a forest, run component by component."""
    dimensions = chain.launches[0].kernel.dimensions
    if chain.role.kind not in PATCHES or dimensions < VOLUME:
        return chain
    assert not chain.breaks, "steps that go on beyond an exchange are refused on forests"
    parts = [
        (launch if part is launch.kernel else replace(launch, kernel=part), extent)
        for launch, extent in zip(chain.launches, chain.extents, strict=True)
        for part in (by_component(launch.kernel) if launch.is_compiled else [launch.kernel])
    ]
    launches, extents = zip(*parts, strict=True)
    return replace(chain, launches=launches, extents=extents)
