"""Classify the sentences of a conversation: whether a sentence decides, forbids, asks, reports or is mere filler."""
