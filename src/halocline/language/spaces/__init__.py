"""Index spaces: which cells a field has, and where they are again beyond periodic sides."""
