"""Start programs with coarrays by MPI, with some images of this machine counted as a node each."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from launch import launcher

import halocline

# A variable may name another one while the library is being changed.
_COMMAND = Path(
    os.environ.get("HALOCLINE_CAF", Path(halocline.__file__).parent / "caf/bin/halocline-caf")
)


def run_on_nodes(
    images: int, per_node: int, *command: object, timeout: float = 60.0, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run a command on images, so many of them a node; on one node if that is 0."""
    if not (_COMMAND.parent.parent / "lib/libhalocline_pgas_mpi.so").exists():
        pytest.skip("Halocline was built without MPI")
    return subprocess.run(
        [launcher(), "-n", str(images), *map(str, command)],
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
        env=os.environ | {"HALOCLINE_IMAGES_PER_NODE": str(per_node)} | environment,
    )
