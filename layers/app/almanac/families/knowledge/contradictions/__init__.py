"""Facts that cannot both hold."""
