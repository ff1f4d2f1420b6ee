"""Indexing and removal of the files of a repository."""
