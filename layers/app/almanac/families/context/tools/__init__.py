"""The tools of the context family."""
