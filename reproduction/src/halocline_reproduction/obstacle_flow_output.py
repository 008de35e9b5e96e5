"""The results of a flow past obstacles as files in the course's formats."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from halocline.io.output import write_text, writing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

Array = NDArray[Any]


def write_averages(averages: Sequence[float], first_step: int, path: Path) -> None:
    """Write average velocities as the course does: step, colon, tab, value; steps from 0.

    Args:
        averages: After each step of this run.
        first_step: How many were done before; if the file has those, they stay.
        path: The file.

    Raises:
        OutputError: It cannot be written.
    """
    before: list[str] = []
    if first_step and path.exists():
        with writing(path):
            lines = path.read_text(encoding="utf-8").splitlines()
        numbers = (line.partition(":")[0] for line in lines)
        before = [
            line
            for line, number in zip(lines, numbers, strict=True)
            if number.isdigit() and int(number) < first_step
        ]
    now = (f"{n}:\t{value:.12E}" for n, value in enumerate(averages, first_step))
    write_text(path, "\n".join([*before, *now]))


def write_final_state(state: Mapping[str, Array], path: Path) -> None:
    """Write the final state as the course does: x, y, u_x, u_y, speed, pressure, obstacle.

    Args:
        state: 'u_x', 'u_y', 'speed', 'pressure' and 'obstacle', each (nx, ny).
        path: The file.

    Raises:
        OutputError: It cannot be written.
    """
    columns = [state[name].T.ravel() for name in ("u_x", "u_y", "speed", "pressure", "obstacle")]
    ny, nx = state["u_x"].T.shape
    cells = ((x, y) for y in range(ny) for x in range(nx))
    lines = (
        f"{x} {y} {u:.12E} {v:.12E} {speed:.12E} {pressure:.12E} {obstacle:.0f}\n"
        for (x, y), u, v, speed, pressure, obstacle in zip(cells, *columns, strict=True)
    )
    write_text(path, "".join(lines))
