"""The experiments of the papers, each run by one command and drawn beside the published numbers."""
