"""Candidates: statements found in turns that may be worth pinning, until a reviewer accepts or rejects them."""
