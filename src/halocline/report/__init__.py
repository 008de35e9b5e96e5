"""Report: where the time of a run went, measured beside predicted."""
