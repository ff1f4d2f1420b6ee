"""Tools of the calendar family, one module per subject."""
