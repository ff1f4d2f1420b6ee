"""Bringing the files of a repository in, and taking them out."""
