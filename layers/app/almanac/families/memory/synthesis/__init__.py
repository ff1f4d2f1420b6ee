"""Answers to questions from memory: each sentence cites the ids of its sources, and gaps of memory are named."""
