"""The snapshot of a project that an agent reads at the beginning of its work."""
