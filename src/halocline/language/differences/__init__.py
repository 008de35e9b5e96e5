"""Derivatives of any expression, as differences of values in cells."""
