"""Memories made on purpose, how much they matter, and forgetting."""
