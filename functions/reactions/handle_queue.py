"""Deliver events from the queue to the families' reactions."""

from almanac.composition.aws_events import aws_reactions

handler = aws_reactions()
