"""Values that change with time, from arrays and files."""
