"""Functions traced into kernels, calls of them, loops: what a simulation does."""
