"""Fork a process for each script that a client asks for; see warm.py.

python warm_server.py SOCKET FILE

FILE gets the processor seconds of each script that has ended.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import marshal
import os
import runpy
import select
import signal
import socket
import sys
from contextlib import suppress
from pathlib import Path

import matplotlib

import halocline

# What scripts import that takes more than 20 ms: of Halocline its public names alone, so that a
# script still has to import the rest.
IMPORTS = (
    "matplotlib.pyplot",
    "matplotlib.backends.backend_agg",
    "xarray",
    "zarr",
    "h5netcdf",
    "scipy.sparse",
    "typer",
    "rich.progress",
    "undrawn",
)


def serve(listener: socket.socket, spent: int) -> tuple[bytes, list[int]]:
    """Answer clients as long as standard input is open; return in each fork with its request."""
    while True:
        ready, *_ = select.select([listener, sys.stdin], [], [])
        collect_ended()
        if sys.stdin in ready:
            sys.exit()
        client, _ = listener.accept()
        if os.fork() == 0:
            listener.close()
            request, files, *_ = socket.recv_fds(client, 1 << 20, 4)
            fork = os.fork()
            if fork == 0:
                client.close()
                os.close(spent)
                return request, files
            for file in files:
                os.close(file)
            wait_for(fork, client, spent)
        client.close()


def collect_ended() -> None:
    """Let no process that has ended remain."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def wait_for(fork: int, client: socket.socket, spent: int) -> None:
    """Tell the client how the fork has ended, or end the fork if the client has ended."""
    ready, *_ = select.select([client, os.pidfd_open(fork)], [], [])
    if client in ready:
        os.kill(fork, signal.SIGKILL)
    _, status, used = os.wait4(fork, 0)
    os.write(spent, f"{used.ru_utime + used.ru_stime}\n".encode())
    with suppress(BrokenPipeError):
        client.send(str(os.waitstatus_to_exitcode(status)).encode())
    os._exit(0)


def become(request: bytes, files: list[int]) -> list[str]:
    """Take over the client's files, folder and environment; return its arguments."""
    arguments, folder, environment = marshal.loads(request)
    for standard, file in enumerate(files[:3]):
        os.dup2(file, standard)
        os.close(file)
    # The server's own may stand for files of another kind.
    sys.stdout = sys.__stdout__ = open(1, "w", closefd=False)  # noqa: SIM115 (no path)
    sys.stderr = sys.__stderr__ = open(2, "w", buffering=1, closefd=False)  # noqa: SIM115
    os.environ.clear()
    os.environ.update(environment)
    for file in files[3:]:
        os.environ["PMI_FD"] = str(file)
    os.chdir(folder)
    # Matplotlib reads it while it is imported.
    matplotlib.rcParams["backend"] = environment["MPLBACKEND"]
    return arguments


def hide(modules: dict[str, object]) -> None:
    """Let modules outlive the interpreter: to take them apart takes a tenth of a second."""
    for name in modules:
        sys.modules.pop(name, None)


def run(arguments: list[str]) -> None:
    """Run a script, or a module after '-m', as Python's command line does."""
    if arguments[0] == "-m":
        sys.argv, sys.path[0] = arguments[1:], str(Path.cwd())
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv, sys.path[0] = arguments, str(Path(arguments[0]).parent)
        runpy.run_path(arguments[0], run_name="__main__")


if __name__ == "__main__":
    ready: dict[str, object] = {}
    # The first to register is the last to be called.
    atexit.register(hide, ready)
    for name in IMPORTS:
        importlib.import_module(name)
    for name in halocline.__all__:
        getattr(halocline, name)
    ready |= sys.modules
    for name in ("__main__", "builtins", "sys"):
        del ready[name]
    # Refers to itself and is frozen: nothing ever collects it.
    ready[""] = ready
    # Forks share pages that the garbage collector never writes to.
    gc.freeze()
    listener, spent = map(int, sys.argv[1:])
    run(become(*serve(socket.socket(fileno=listener), spent)))
