"""Points between cells: values recorded and injected there."""
