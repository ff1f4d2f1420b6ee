"""Memories that callers make on purpose: writing, forgetting, salience and versions."""
