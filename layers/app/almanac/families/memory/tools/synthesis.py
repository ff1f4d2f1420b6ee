"""Answers made of what is remembered."""
