"""Coastal oceans: a free surface, columns of water in sigma layers, land."""
