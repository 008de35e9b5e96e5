"""Session: what holds state while a simulation runs."""
