"""Answers made of what is remembered: every sentence with the ids that it comes from, and what is not there."""
