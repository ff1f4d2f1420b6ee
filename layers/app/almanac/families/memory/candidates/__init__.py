"""Candidates: what rules find in turns that may be worth pinning, until somebody accepts or rejects it."""
