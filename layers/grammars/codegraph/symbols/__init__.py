"""Outline of a file: its definitions, where they stand, and how they read."""
