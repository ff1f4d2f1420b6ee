"""Summaries of turns without a language model: rolling summaries of sessions, and reflections that merge several."""
