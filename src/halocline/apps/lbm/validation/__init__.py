"""What users may give to flows."""
