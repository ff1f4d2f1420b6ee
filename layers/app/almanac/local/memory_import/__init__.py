"""Conversations that were held elsewhere, read from their files a piece at a time."""
