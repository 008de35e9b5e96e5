"""What holds for every cell of every block: strategies, reaches and accesses."""
