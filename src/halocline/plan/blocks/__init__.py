"""Which boxes exist, and which rank has them."""
