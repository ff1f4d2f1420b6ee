"""Memories that somebody made on purpose, and forgetting."""
