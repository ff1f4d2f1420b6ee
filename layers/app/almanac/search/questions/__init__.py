"""Search as families call it."""
