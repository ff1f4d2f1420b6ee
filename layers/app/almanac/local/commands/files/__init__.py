"""Commands that read files of this machine."""
