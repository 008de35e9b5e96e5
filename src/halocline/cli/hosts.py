"""The hosts that the words of a launcher name, and which of them answer."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from halocline.errors import MpiError
from halocline.frozen import Frozen

if TYPE_CHECKING:
    from collections.abc import Sequence

# Options before a list of hosts, and before a file of hosts, of MPICH and of Open MPI.
_LISTS = ("-hosts", "-host", "-H")
_FILES = ("-f", "-hostfile", "-machinefile")
# What both take before a list.
_LIST = "-host"
# A host that has started nothing by then counts as dead [s].
_ANSWERED_S = 20.0


class Host(Frozen):
    """A host of a launcher.

    Attributes:
        name: Its name.
        slots: How many ranks it takes; None where the launcher was told no number.
    """

    name: str
    slots: int | None = None

    def __str__(self) -> str:
        """Return the host as launchers read it, as 'node1:4'."""
        return self.name if self.slots is None else f"{self.name}:{self.slots}"


class Launcher(Frozen):
    """The words that start ranks.

    Attributes:
        words: Those before the number of ranks.
        hosts: The hosts that they name; empty where the launcher finds hosts by itself.
    """

    words: tuple[str, ...]
    hosts: tuple[Host, ...] = ()

    def on(self, hosts: Sequence[Host]) -> Launcher:
        """Return the launcher of some hosts only."""
        place = _place_of_hosts(self.words)
        assert place is not None
        before, after = self.words[:place], self.words[place + 2 :]
        option = self.words[place] if self.words[place].lstrip("-") in _bare(_LISTS) else _LIST
        words = (*before, option, ",".join(map(str, hosts)), *after)
        return Launcher(words, tuple(hosts))

    def without(self, names: Sequence[str], ranks: int) -> Launcher:
        """Return the launcher without some hosts; the others take the ranks that no longer fit.

        Args:
            names: The hosts that are left out.
            ranks: How many ranks must fit.
        """
        left = [host for host in self.hosts if host.name not in names]
        if len(left) == len(self.hosts):
            return self
        slots = [host.slots or 1 for host in left]
        for extra in range(ranks - sum(slots)):
            slots[extra % len(left)] += 1
        return self.on([replace(h, slots=n) for h, n in zip(left, slots, strict=True)])

    def ask(self, command: Sequence[str], ranks: int = 1) -> dict[str, str | None]:
        """Run a command on each host, on one rank.

        Args:
            command: Its words.
            ranks: On how many ranks it runs where the hosts are not known.

        Returns:
            What it printed by the name of the host, which is '' where the hosts are not known;
            None for a host on which it failed or did not end in time.
        """
        jobs = {
            host.name: subprocess.Popen(
                [*words, "-n", str(count), *command],
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                stdin=subprocess.DEVNULL,
                text=True,
            )
            for host, words, count in self._each(ranks)
        }
        return {name: _answer(job) for name, job in jobs.items()}

    def _each(self, ranks: int) -> list[tuple[Host, tuple[str, ...], int]]:
        if not self.hosts:
            return [(Host(""), self.words, ranks)]
        return [(host, self.on([host]).words, 1) for host in self.hosts]


def _answer(job: subprocess.Popen[str]) -> str | None:
    try:
        printed, _ = job.communicate(timeout=_ANSWERED_S)
    except subprocess.TimeoutExpired:
        job.kill()
        return None
    return printed if job.returncode == 0 else None


def launcher_of(words: Sequence[str]) -> Launcher:
    """Return a launcher, with the hosts that its words name.

    Raises:
        MpiError: They name a file of hosts that cannot be read.
    """
    place = _place_of_hosts(words)
    if place is None:
        return Launcher(tuple(words))
    option, value = words[place].lstrip("-"), words[place + 1]
    lines = _lines_of(value) if option in _bare(_FILES) else value.split(",")
    hosts: dict[str, Host] = {}
    for line in filter(None, lines):
        host = _host(line)
        # Open MPI counts a name that is repeated as a slot more.
        before = hosts.get(host.name)
        slots = host.slots if before is None else (before.slots or 1) + (host.slots or 1)
        hosts[host.name] = replace(host, slots=slots)
    return Launcher(tuple(words), tuple(hosts.values()))


def _place_of_hosts(words: Sequence[str]) -> int | None:
    options = _bare((*_LISTS, *_FILES))
    found = (n for n, word in enumerate(words[:-1]) if word[:1] == "-")
    return next((n for n in found if words[n].lstrip("-") in options), None)


def _bare(options: Sequence[str]) -> list[str]:
    return [option.lstrip("-") for option in options]


def _lines_of(path: str) -> list[str]:
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise MpiError(
            f"The launcher was given the file of hosts '{path}', which cannot be read: "
            f"{error.strerror}.",
            hint="Correct it in the environment variable 'HALOCLINE_MPIEXEC'.",
        ) from None
    return [line.partition("#")[0].strip() for line in text.splitlines()]


def _host(line: str) -> Host:
    """Return the host of a line: 'node1', 'node1:4', or 'node1 slots=4'."""
    name, *others = line.split()
    name, _, slots = name.partition(":")
    for word in others:
        if word.startswith("slots="):
            slots = word.removeprefix("slots=")
    return Host(name, int(slots) if slots.isdecimal() else None)
