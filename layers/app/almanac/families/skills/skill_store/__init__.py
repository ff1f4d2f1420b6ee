"""The skills of a project in the store: install, verify and read, list, remove."""
