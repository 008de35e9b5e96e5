"""What turns kernels of a plan into fewer or faster ones."""
