"""Queries for facts by their parts, by time and by meaning."""
