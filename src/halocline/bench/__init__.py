"""Measurements on the machine at hand, each with a verified result and a yardstick beside it."""
