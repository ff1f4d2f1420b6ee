"""What a family declares, and what its parts are made of."""
