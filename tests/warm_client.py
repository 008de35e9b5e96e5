"""Be 'python SCRIPT ARGUMENTS' by way of a fork of a server.

python -IS warm_client.py SERVER,SERVER SCRIPT ARGUMENTS
"""

import marshal
import os
import socket
import sys

servers, *arguments = sys.argv[1:]
names = servers.split(",")
name = names[int(os.environ.get("PMI_RANK", "0")) % len(names)]
folder = os.getcwd()  # noqa: PTH109 (pathlib takes longer than all this)
files = [0, 1, 2]
if "PMI_FD" in os.environ:
    # By this the rank talks to its launcher.
    files.append(int(os.environ["PMI_FD"]))
with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as server:
    server.connect("\0" + name)
    request = marshal.dumps((arguments, folder, dict(os.environ)))
    socket.send_fds(server, [request], files)
    answer = server.recv(16)
if not answer:
    sys.exit("The server of warm processes has died.")
code = int(answer)
if code < 0:
    os.kill(os.getpid(), -code)
sys.exit(code)
