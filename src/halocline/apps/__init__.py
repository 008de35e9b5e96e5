"""Applications, written in the language as a user would."""
