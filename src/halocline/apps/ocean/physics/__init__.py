"""Physics of an ocean: density, drag, drying, turbulence, tides, what comes from outside."""
