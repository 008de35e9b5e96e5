"""Which boxes when, and which cells to whom: decided before the first step."""
