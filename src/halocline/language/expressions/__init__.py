"""What a cell computes: interned expressions, their types, functions and operators."""
