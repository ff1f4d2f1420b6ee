"""Records, documents and events shared by all parts of memory, and one project of one caller."""
