"""The order of a step, the same for all blocks: chains of kernels and what they exchange."""
