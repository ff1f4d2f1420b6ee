"""The knowledge family: facts with time, and what stands between the things of a project."""
