"""Skills in files of this machine."""
