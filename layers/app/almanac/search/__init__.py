"""Search for documents by word, identifier and meaning. A document is found as soon as it is written."""
