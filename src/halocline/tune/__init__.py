"""What a step costs: machines as numbers, a model of the time, and the choice of a strategy."""
