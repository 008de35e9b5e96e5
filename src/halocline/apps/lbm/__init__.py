"""Lattice Boltzmann: velocity sets, kernels and the lid-driven cavity."""
