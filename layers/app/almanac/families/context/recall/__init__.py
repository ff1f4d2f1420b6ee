"""Recall of memories from all layers by words and meaning."""
