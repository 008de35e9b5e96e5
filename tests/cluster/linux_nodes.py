"""A cluster on this machine: nodes of namespaces of Linux, joined by a bridge.

    python tests/cluster/linux_nodes.py --nodes 2 --rate 1gbit -n 4 python heat.py

Each node has a network, a host name, processes, IPC and /dev/shm of its own, and shares the files
of this machine, as over a network. It needs root and the commands 'ip', 'tc', 'unshare' and
'nsenter'. All of it lies in namespaces of a head, whose first process ends when its input does: so
the kernel takes everything down, however this process ends.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Sequence

_NAMESPACES = ("--net", "--uts", "--ipc", "--mount", "--pid", "--mount-proc")
# The first process of a host: it says that it is there, and ends with its input. The shell stays to
# collect processes whose parents have ended: the namespaces of a node do not end before.
_FIRST = ("sh", "-c", "echo ready; cat > /dev/null; exit")
# The port of the head at a switch.
_PORT = "port"
_SWITCH = Path(__file__).with_name("switch.py")
_UNITS = {"kbit": 1e3, "mbit": 1e6, "gbit": 1e9}
# What launchers start a node's processes with: 'enter [OPTION]… HOST COMMAND…'. The process that a
# host's file names is counted as the head does.
_ENTER = """#!/bin/sh
while [ "${1#-}" != "$1" ]; do shift; done
host=$1
shift
exec nsenter --target "$(cat /mnt/$host)" --all sh -c "$*"
"""
# Open MPI asks for consent, does not see that nodes share processors, and has memory of other nodes
# over TCP by UCX only, which Debian turns off.
_OF_OPEN_MPI = (
    *("--allow-run-as-root", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"),
    *("--mca", "plm_rsh_agent", "/mnt/enter"),
    *("--mca", "pml", "ucx", "--mca", "osc", "ucx"),
    *("--mca", "opal_common_ucx_tls", "any", "--mca", "opal_common_ucx_devices", "any"),
)


def why_not() -> str | None:
    """Return why no cluster can be made here, None if one can."""
    if sys.platform != "linux" or os.geteuid() != 0:
        return "a cluster of namespaces needs root on Linux"
    for command in ("unshare", "nsenter", "ip", "tc"):
        if shutil.which(command) is None:
            return f"a cluster of namespaces needs the command '{command}'"
    tried = subprocess.run(
        ["unshare", "--fork", *_NAMESPACES, "ip", "link", "add", "b0", "type", "bridge"],
        capture_output=True,
        text=True,
        check=False,
    )
    return f"no namespaces can be made: {tried.stderr.strip()}" if tried.returncode else None


class Host:
    """Namespaces, with a process that keeps them.

    Args:
        name: The host name.
        within: The host within whose namespaces it lies; None for the machine.
    """

    def __init__(self, name: str, within: Host | None = None) -> None:
        self.name = name
        before = within.entered() if within else []
        self._first = subprocess.Popen(
            [*before, "unshare", "--fork", "--kill-child", *_NAMESPACES, *_FIRST],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            # Ctrl-C is meant for what runs in the cluster; this process then takes it down.
            start_new_session=True,
        )
        if self._first.stdout.readline() != "ready\n":
            self.close()
            raise RuntimeError(f"Host '{name}' did not start.")
        self.pid = _last_of(self._first.pid)
        self.run("hostname", name)
        self.run("mount", "-t", "tmpfs", "tmpfs", "/dev/shm")
        self.run("ip", "link", "set", "lo", "up")

    def entered(self) -> list[str]:
        """Return the words before a command that is to run on this host."""
        return ["nsenter", "--target", str(self.pid), "--all", f"--wd={Path.cwd()}"]

    def run(self, *command: str) -> None:
        """Run a command of which only its success matters."""
        subprocess.run([*self.entered(), *command], check=True)

    def close(self) -> None:
        """End all processes of this host, and of those that lie within."""
        self._first.stdin.close()
        self._first.stdout.close()
        self._first.wait()


class Cluster:
    """Nodes 'node1', 'node2', … of a network, and a head from which programs are started on them.

    Args:
        nodes: How many.
        rate: What each node can send in a second, as 'tc' writes it; None for no limit.
        latency_s: How long each packet is on its way [s]; None for no switch: the kernel forwards.
    """

    def __init__(
        self, nodes: int = 2, rate: str | None = None, latency_s: float | None = None
    ) -> None:
        with ExitStack() as stack:
            self.head = Host("head")
            stack.callback(self.head.close)
            # Files that only the cluster has, and that go with it.
            self.head.run("mount", "-t", "tmpfs", "tmpfs", "/mnt")
            self._folder = Path(f"/proc/{self.head.pid}/root/mnt")
            # Of its own: else it has that of a node, and with the node's end nobody is reached.
            address = ("address", "02:00:00:00:00:fe")
            kind = ("bridge",) if latency_s is None else ("veth", "peer", "name", _PORT)
            self.head.run("ip", "link", "add", "bridge", *address, "type", *kind)
            self.head.run("ip", "address", "add", "10.77.0.254/24", "dev", "bridge")
            self.head.run("ip", "link", "set", "bridge", "up")
            names = [f"node{number}" for number in range(1, nodes + 1)]
            self._name_addresses(names)
            self.nodes = []
            for number, name in enumerate(names, 1):
                node = Host(name, within=self.head)
                stack.callback(node.close)
                self.nodes.append(node)
                self._connect(node, f"10.77.0.{number}/24")
                if latency_s is None:
                    self._attach_to_bridge(node, rate)
            if latency_s is not None:
                self._switch = self._start_switch(latency_s, bits_per_s(rate), names)
                stack.callback(self._end_switch)
            enter = self._folder / "enter"
            enter.write_text(_ENTER, encoding="utf-8")
            enter.chmod(0o700)
            self._stack = stack.pop_all()

    def _name_addresses(self, names: list[str]) -> None:
        lines = [f"10.77.0.{number} {name}" for number, name in enumerate(names, 1)]
        text = "\n".join(["127.0.0.1 localhost", "10.77.0.254 head", *lines, ""])
        (self._folder / "hosts").write_text(text, encoding="utf-8")
        self.head.run("mount", "--bind", "/mnt/hosts", "/etc/hosts")

    def _connect(self, node: Host, address: str) -> None:
        pid = _pid_within(node.pid)
        (self._folder / node.name).write_text(pid, encoding="utf-8")
        self.head.run("ip", "link", "add", node.name, "type", "veth", "peer", "name", "eth0")
        self.head.run("ip", "link", "set", "eth0", "netns", pid)
        self.head.run("ip", "link", "set", node.name, "up")
        node.run("ip", "address", "add", address, "dev", "eth0")
        node.run("ip", "link", "set", "eth0", "up")

    def _attach_to_bridge(self, node: Host, rate: str | None) -> None:
        self.head.run("ip", "link", "set", node.name, "master", "bridge")
        if rate is not None:
            shape = ("rate", rate, "burst", "256kb", "latency", "100ms")
            node.run("tc", "qdisc", "add", "dev", "eth0", "root", "tbf", *shape)

    def _start_switch(
        self, latency_s: float, rate: float, names: list[str]
    ) -> subprocess.Popen[str]:
        self.head.run("ip", "link", "set", _PORT, "up")
        words = [sys.executable, str(_SWITCH), str(latency_s), str(rate), _PORT, *names]
        switch = subprocess.Popen(
            [*self.head.entered(), *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        if switch.stdout.readline() != "ready\n":
            raise RuntimeError("The switch between the nodes did not start.")
        return switch

    def _end_switch(self) -> None:
        # It ends with its input.
        self._switch.stdin.close()
        self._switch.stdout.close()
        self._switch.wait()

    def switch_cpu_s(self) -> float:
        """Return the processor time that the switch has taken until now [s]."""
        stat = Path(f"/proc/{_last_of(self._switch.pid)}/stat").read_text(encoding="utf-8")
        user, system = stat.rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End everything that runs in the cluster, and the cluster."""
        self._stack.close()

    def hosts(self, ranks: int) -> str:
        """Return the list of hosts on which ranks run, one node after the other."""
        return ",".join(f"{node.name}:{-(-ranks // len(self.nodes))}" for node in self.nodes)

    def launcher(self, mpiexec: str) -> list[str]:
        """Return a launcher, of MPICH or of Open MPI, with what it needs to start ranks here."""
        if _is_of_open_mpi(mpiexec):
            return [mpiexec, *_OF_OPEN_MPI]
        return [mpiexec, "-launcher", "ssh", "-launcher-exec", "/mnt/enter"]

    def mpiexec(self, mpiexec: str, ranks: int) -> list[str]:
        """Return the words before a program that is to run on ranks, one node after the other."""
        options = ["-host", self.hosts(ranks), "-n", str(ranks)]
        return [*self.head.entered(), *self.launcher(mpiexec), *options]

    def run(
        self, mpiexec: str, ranks: int, *command: str, timeout: float = 120
    ) -> subprocess.CompletedProcess[str]:
        """Run a command on ranks of the nodes; one that hangs ends them."""
        return self._run([*self.mpiexec(mpiexec, ranks), *command], timeout)

    def run_on_head(
        self, *command: str | Path, timeout: float = 120
    ) -> subprocess.CompletedProcess[str]:
        """Run a command on the head, as a launcher; one that hangs ends all nodes."""
        return self._run([*self.head.entered(), *command], timeout)

    def _run(
        self, command: Sequence[str | Path], timeout: float
    ) -> subprocess.CompletedProcess[str]:
        try:
            return subprocess.run(
                command,
                capture_output=True,
                text=True,
                timeout=timeout,
                check=False,
            )
        except subprocess.TimeoutExpired:
            self.close()
            raise


def bits_per_s(rate: str | None) -> float:
    """Return a rate as 'tc' writes it, as '1gbit'; 0 for no limit."""
    if rate is None:
        return 0.0
    for unit, factor in _UNITS.items():
        if rate.endswith(unit):
            return float(rate.removesuffix(unit)) * factor
    raise ValueError(f"The rate is '{rate}'; expected a number with one of {', '.join(_UNITS)}.")


def _is_of_open_mpi(mpiexec: str) -> bool:
    """Whether a launcher is Open MPI's by its name: it may be one that fails whatever is asked."""
    name = Path(shutil.which(mpiexec) or mpiexec).resolve().name
    return name in ("orterun", "prterun") or "openmpi" in name


def _children(pid: int) -> list[int]:
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def _last_of(pid: int) -> int:
    """Return the last of a row of processes that have started each other."""
    while children := _children(pid):
        (pid,) = children
    return pid


def _pid_within(pid: int) -> str:
    """Return the number of a process in the namespace around its own."""
    for line in Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines():
        if line.startswith("NSpid:"):
            return line.split()[-2]
    raise AssertionError(line)


def main() -> int:
    """Run a command on a cluster."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, default=2)
    parser.add_argument("--rate", help="what a node can send in a second, as '1gbit'")
    parser.add_argument("--latency", type=float, help="of each packet [s]")
    parser.add_argument("--mpiexec", default=str(Path(sys.executable).with_name("mpiexec")))
    parser.add_argument("-n", type=int, default=2, dest="ranks")
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    if (reason := why_not()) is not None:
        print(f"No cluster: {reason}.", file=sys.stderr)
        return 1
    # A signal to end takes the cluster down as Ctrl-C does, which shells ignore in the background.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    with Cluster(options.nodes, options.rate, options.latency) as cluster:
        before = cluster.mpiexec(options.mpiexec, options.ranks)
        return subprocess.run([*before, *options.command], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
