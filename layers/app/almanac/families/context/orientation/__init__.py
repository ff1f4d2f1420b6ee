"""Orientation of a caller in time, with the events since the last visit."""
