"""Fields, ranks and the C++ time loop, seen from Python."""

from halocline.runtime.openmp import load_runtime

# Before anything else can load OpenMP with the runtime.
load_runtime()
