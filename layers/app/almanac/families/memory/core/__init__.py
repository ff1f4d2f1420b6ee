"""Records, search documents, events and the project object that all parts of memory share."""
