"""Where values are: grids, their cells and sides, fields."""
