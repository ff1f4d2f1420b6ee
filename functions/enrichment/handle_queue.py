"""Pass texts that were written from their queue to the model that reads them."""

from almanac.composition.aws_events import aws_enrichment

handler = aws_enrichment()
