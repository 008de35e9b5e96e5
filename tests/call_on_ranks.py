"""Call a function of the tests; rank 0 writes what it returns.

mpiexec -n N python call_on_ranks.py MODULE FUNCTION OUTPUT ARGUMENTS
"""

from __future__ import annotations

import json
import sys
from importlib import import_module
from pathlib import Path

from halocline.runtime.job import join

if __name__ == "__main__":
    module, function, output, arguments = sys.argv[1:]
    found = getattr(import_module(module), function)(*json.loads(arguments))
    if join().rank == 0:
        Path(output).write_text(json.dumps(found), encoding="utf-8")
