"""What was written, from its queue to the model that reads it."""

from almanac.composition.aws_events import aws_enriching

handler = aws_enriching()
