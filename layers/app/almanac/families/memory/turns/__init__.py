"""Turns: what was said, called and seen, recorded once each and listed newest first."""
