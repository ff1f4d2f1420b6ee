"""Search, as a family calls it."""
