"""Decay of shared memories, which are forgotten when nobody uses them."""
