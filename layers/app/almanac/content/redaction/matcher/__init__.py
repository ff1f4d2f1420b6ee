"""Tools that the redaction rules share: text as bytes, linear-time patterns, spans, tests for random-looking values."""
