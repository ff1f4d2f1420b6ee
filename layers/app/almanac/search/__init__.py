"""Search: documents found by word, by identifier and by meaning, the moment they are written."""
