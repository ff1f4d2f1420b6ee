"""Enrich newly written texts with the embedding model, from their queue."""

from almanac.composition.aws_events import aws_enrichment

handler = aws_enrichment()
