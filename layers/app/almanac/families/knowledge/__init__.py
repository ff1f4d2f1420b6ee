"""The knowledge family: facts with time, and edges between the things of a project."""
