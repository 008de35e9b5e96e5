"""The fields of an ocean, built once."""
