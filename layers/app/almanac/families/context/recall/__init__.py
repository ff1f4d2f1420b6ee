"""Recalling memories of all layers by words and meaning."""
