"""The mode of layers."""
