"""What an ocean is: its values, checked when they are given."""
