"""Files that describe an ocean."""
