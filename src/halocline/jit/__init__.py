"""From text to a loaded library: compilers, cache, loading; no MPI."""
