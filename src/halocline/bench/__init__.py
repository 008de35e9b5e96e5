"""Measurements on the machine at hand, each with a verified result and a baseline beside it."""
