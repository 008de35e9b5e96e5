"""Constants of nature, as oceans have them."""

# Acceleration of gravity [m/s²].
GRAVITY = 9.81
