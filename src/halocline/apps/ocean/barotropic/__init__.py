"""The vertically integrated mode."""
