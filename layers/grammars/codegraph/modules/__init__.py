"""Names of modules, and the files that an import means."""
