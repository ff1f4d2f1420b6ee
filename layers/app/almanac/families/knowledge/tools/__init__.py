"""The tools of knowledge."""
