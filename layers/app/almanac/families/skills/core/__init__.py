"""Core of the skills family."""
