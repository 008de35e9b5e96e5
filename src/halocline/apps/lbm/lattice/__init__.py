"""Velocity sets, populations and where they are kept between two collisions."""
