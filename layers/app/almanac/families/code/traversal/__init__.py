"""Traversal of the call graph. Edges of a repository are resolved on demand."""
