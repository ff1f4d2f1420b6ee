"""Summaries of turns without a language model: rolling summaries of sessions, and reflections over many of them."""
