"""Summaries that replace old memories, and the effects of forgetting or restoring either."""
