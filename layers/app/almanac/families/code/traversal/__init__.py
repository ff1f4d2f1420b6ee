"""Traversal: what uses what in a repository, resolved when it is asked for."""
