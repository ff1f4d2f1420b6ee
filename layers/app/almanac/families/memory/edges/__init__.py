"""Edges between things: derivations, and relations that an actor stated."""
