"""What all parts of memory share: its records, its documents, its events, one project of one caller."""
