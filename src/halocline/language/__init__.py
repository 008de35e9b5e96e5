"""What a user writes, as frozen values."""
