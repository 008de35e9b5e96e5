"""Fields, ranks and the C++ time loop, seen from Python."""
