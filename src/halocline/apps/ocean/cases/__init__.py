"""Cases: oceans that the command runs."""
