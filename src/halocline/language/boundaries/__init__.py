"""What boundaries prescribe, as kernels on layers of cells."""
