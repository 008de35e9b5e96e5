"""Run the examples and keep their pictures, small: 'make pictures'.

python docs/draw_pictures.py [example …]
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

DOCS = Path(__file__).parent
EXAMPLES = DOCS.parent / "examples"
_COLOURS = 128


def draw(name: str) -> None:
    """Run an example, and keep its picture with fewer colours."""
    print(f"{name} …", flush=True)
    with tempfile.TemporaryDirectory() as directory:
        subprocess.run([sys.executable, EXAMPLES / f"{name}.py"], cwd=directory, check=True)
        picture = Image.open(Path(directory) / f"{name}.png").convert("RGB")
        picture.quantize(_COLOURS, dither=Image.Dither.NONE).save(
            DOCS / "pictures" / f"{name}.png", optimize=True
        )


for wanted in sys.argv[1:] or sorted(path.stem for path in EXAMPLES.glob("*.py")):
    draw(wanted)
