"""What is read off an ocean: quantities, harmonic constants, pictures."""
