"""What is written in the language itself: solvers, columns, layers that absorb."""
