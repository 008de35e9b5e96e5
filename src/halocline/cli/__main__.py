"""'python -m halocline.cli' is 'halocline'."""

from halocline.cli.main import main

main()
