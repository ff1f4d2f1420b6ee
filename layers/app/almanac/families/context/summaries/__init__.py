"""Summaries in place of old memories, and what follows when one of either is forgotten or restored."""
