"""What rules of redaction work with: text as bytes, patterns in linear time, spans, what looks like a secret."""
