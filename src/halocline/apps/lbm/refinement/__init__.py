"""Borders between the levels of a forest."""
