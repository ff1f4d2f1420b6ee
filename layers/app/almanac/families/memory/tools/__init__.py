"""The tools of memory."""
