"""The steps bound to a grid: fused kernels, boundaries and reductions."""
