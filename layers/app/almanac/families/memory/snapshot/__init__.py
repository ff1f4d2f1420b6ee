"""The snapshot that an agent reads when it begins."""
