"""Numerics of an ocean: staggered grid, advection, vertical diffusion."""
