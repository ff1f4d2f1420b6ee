"""Decay of shared memories, which are forgotten when no caller uses them."""
