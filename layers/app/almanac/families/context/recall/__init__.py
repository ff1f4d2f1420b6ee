"""Recall of memories of all layers by words and meaning."""
