"""Turns: messages, calls and events, recorded once each and listed newest first."""
