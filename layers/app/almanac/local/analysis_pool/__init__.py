"""Parse repository files in separate processes, to use all cores of the machine."""
