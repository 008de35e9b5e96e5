"""Values that say what a flow is."""
