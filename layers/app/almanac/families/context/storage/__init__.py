"""Keeping memories in the three layers: where a new one goes, and what becomes of those that are kept."""
