"""Slurm on the nodes of a cluster of namespaces: Debian's 'slurmctld', 'slurmd', 'slurm-client'."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from pathlib import Path

    from linux_nodes import Cluster, Host

_COMMANDS = ("slurmctld", "slurmd", "srun", "sbatch", "salloc", "sinfo")
# All daemons are root's, in namespaces that nobody else reaches: so no one proves who he is.
_CONFIGURATION = """ClusterName=nodes
SlurmctldHost=head
AuthType=auth/none
CredType=cred/none
SlurmUser=root
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/%n.log
NodeName=node[1-{nodes}] CPUs={cores} State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP
"""
# Each node has a /dev/shm of its own, and shares /tmp.
_OF_PMIX = "PMIxCliTmpDirBase=/dev/shm\n"
_LONGEST_START_S = 30.0


def why_not() -> str | None:
    """Return why there is no Slurm here, None if there is."""
    for command in _COMMANDS:
        if shutil.which(command) is None:
            return f"Slurm's command '{command}' is not installed"
    return None


class Slurm:
    """Slurm's daemons on the head and the nodes of a cluster.

    Args:
        cluster: The nodes.
        cores: How many tasks each node takes, whatever this machine has.
        folder: Where its files lie.
    """

    def __init__(self, cluster: Cluster, cores: int, folder: Path) -> None:
        self._cluster = cluster
        (folder / "state").mkdir()
        text = _CONFIGURATION.format(folder=folder, nodes=len(cluster.nodes), cores=cores)
        self._file = folder / "slurm.conf"
        self._file.write_text(text, encoding="utf-8")
        (folder / "mpi.conf").write_text(_OF_PMIX, encoding="utf-8")
        with ExitStack() as stack:
            for host, *command in [
                (cluster.head, "slurmctld", "-D"),
                *((node, "slurmd", "-D", "-N", node.name) for node in cluster.nodes),
            ]:
                stack.callback(_end, self._started(host, *command))
            self._wait()
            self._stack = stack.pop_all()

    def _started(self, host: Host, *command: str) -> subprocess.Popen[bytes]:
        nothing = subprocess.DEVNULL
        words = [*host.entered(), *command]
        return subprocess.Popen(words, stdout=nothing, stderr=nothing, env=self._variables())

    def _variables(self) -> dict[str, str]:
        return os.environ | {"SLURM_CONF": str(self._file)}

    def _wait(self) -> None:
        """Wait until all nodes take jobs."""
        deadline = time.monotonic() + _LONGEST_START_S
        while self.run("sinfo", "-h", "-o", "%T %D").stdout != f"idle {len(self._cluster.nodes)}\n":
            if time.monotonic() > deadline:
                raise RuntimeError(f"Slurm did not start: see {self._file.parent}/slurmctld.log.")
            time.sleep(0.1)

    def run(self, *command: str, timeout: float = 120) -> subprocess.CompletedProcess[str]:
        """Run a command on the head, as 'srun' or 'sbatch'."""
        return subprocess.run(
            [*self._cluster.head.entered(), *command],
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
            env=self._variables(),
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()


def _end(daemon: subprocess.Popen[bytes]) -> None:
    daemon.terminate()
    daemon.wait()
