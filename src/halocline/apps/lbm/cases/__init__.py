"""Flows with units, and what is known of them."""
