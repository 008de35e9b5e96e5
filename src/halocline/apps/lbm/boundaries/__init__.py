"""What arrives from sides and from solid cells."""
