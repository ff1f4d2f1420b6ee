"""Tools of the time family, one module per subject."""
