"""Names that turns mention: symbols, files, error codes, commands."""
