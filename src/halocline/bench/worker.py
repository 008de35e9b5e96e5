"""A rank of a measurement: 'python -m halocline.bench.worker FOLDER', see 'job'."""

import sys
from pathlib import Path

from halocline.bench.job import work

if __name__ == "__main__":
    work(Path(sys.argv[1]))
