"""What a user of GETM has: namelists, bathymetry, boundaries and weather, read for our model."""
