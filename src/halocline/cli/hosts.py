"""The hosts on which a launcher starts ranks, and which of them answer."""

from __future__ import annotations

import socket
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from halocline.errors import MpiError
from halocline.frozen import Frozen
from halocline.launched import number_in
from halocline.runtime.launcher import find_launcher

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# Options before a list of hosts, and before a file of hosts, of MPICH and of Open MPI.
_LISTS = ("-hosts", "-host", "-H")
_FILES = ("-f", "-hostfile", "-machinefile")
# What both take before a list.
_LIST = "-host"
_EXPECTED = "expected hosts as node1:8,node2:8"
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
        """Return the launcher of these hosts only."""
        listed, place = ",".join(map(str, hosts)), _place_of_hosts(self.words)
        if place is None:
            return Launcher((*self.words, _LIST, listed), tuple(hosts))
        before, after = self.words[:place], self.words[place + 2 :]
        option = self.words[place] if self.words[place].lstrip("-") in _bare(_LISTS) else _LIST
        return Launcher((*before, option, listed, *after), tuple(hosts))

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


def find_job_launcher(ranks: int | None, hosts: str | None) -> tuple[Launcher, int]:
    """Return the launcher of a job, and how many ranks it starts.

    Args:
        ranks: How many are asked for; None for as many as the hosts take, or one.
        hosts: The list that the user gave, see 'hosts_of'; it replaces that of the launcher.

    Raises:
        MpiError: There is no launcher, or the hosts cannot take the ranks.
    """
    launcher = launcher_of(find_launcher())
    if hosts is None:
        return launcher, ranks or 1
    taken = hosts_of(hosts, ranks)
    return launcher.on(taken), ranks or sum(host.slots or 0 for host in taken)


def hosts_of(text: str, ranks: int | None) -> tuple[Host, ...]:
    """Return the hosts of a list that a user gave, each with how many ranks it takes.

    Args:
        text: Hosts as 'node1:8,node2:8'. Those without a number share the ranks that the others
            leave, and take at least one.
        ranks: How many must fit; None for as many as the hosts take.

    Raises:
        MpiError: This is no such list, a host has no address, or the ranks do not fit.
    """
    given = [_given_host(word, text) for word in text.split(",")]
    names = [host.name for host in given]
    for name in names:
        if names.count(name) > 1:
            raise MpiError(
                f"'hosts' is '{text}', which names '{name}' twice; expected each host once.",
                hint=f"Write how many ranks it takes, as '{name}:2'.",
            )
        _require_address(name)
    numbered = sum(host.slots or 0 for host in given)
    free = [host.name for host in given if host.slots is None]
    shares = _shares(max((ranks or 0) - numbered, len(free)), len(free))
    hosts = tuple(host if host.slots else replace(host, slots=next(shares)) for host in given)
    places = sum(host.slots or 0 for host in hosts)
    if ranks is not None and ranks > places:
        raise MpiError(
            f"'hosts' is '{text}', which takes {places} ranks, but {ranks} were asked for.",
            hint="Name more hosts, or more ranks of a host.",
        )
    return hosts


def _given_host(word: str, text: str) -> Host:
    name, colon, number = word.strip().partition(":")
    slots = number_in(number)
    if not name or (colon and not slots):
        raise MpiError(
            f"'hosts' is '{text}'; {_EXPECTED}.",
            hint="A number says how many ranks a host takes, at least 1.",
        )
    return Host(name, slots)


def _require_address(name: str) -> None:
    """Refuse a host that this machine cannot find: launchers would try to reach it for long."""
    try:
        socket.getaddrinfo(name, None)
    except (OSError, UnicodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise MpiError(
            f"'hosts' names '{name}', which has no address ({reason}); {_EXPECTED}.",
            hint="Check the name.",
        ) from None


def _shares(ranks: int, hosts: int) -> Iterator[int]:
    """Yield how many ranks each of some hosts takes, the first ones more."""
    return (ranks // hosts + (n < ranks % hosts) for n in range(hosts))


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
