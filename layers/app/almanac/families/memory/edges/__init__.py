"""What stands between things remembered: what was made of what."""
