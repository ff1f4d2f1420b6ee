"""Tokens with prefixes that their providers publish."""
