"""The code search of the context contract, over a project's repositories."""
