"""Which cells go from which block to which."""
