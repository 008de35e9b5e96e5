"""From fused kernels to readable text, or to NumPy: no MPI, no compiler."""
