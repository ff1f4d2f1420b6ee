"""Proposals that wait for a review."""
