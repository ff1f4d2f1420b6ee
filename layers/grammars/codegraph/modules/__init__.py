"""Names of modules, and which files an import means."""
