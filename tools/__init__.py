"""Tools for building and releasing."""
