"""Readers of indexes that a compiler or type checker wrote."""
