"""Heat conduction by finite differences."""
