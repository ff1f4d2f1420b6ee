"""Secrets that were removed from the project's texts before storage."""
