"""Orientation of a caller in time, and what happened since the last visit."""
