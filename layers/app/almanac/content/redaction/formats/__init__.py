"""Tokens by the beginnings that their providers publish."""
