"""Secrets that were removed from the texts of the project before storage."""
