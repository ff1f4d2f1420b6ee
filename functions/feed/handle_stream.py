"""Carry events from the table's stream to the reactions' queue and to the event bus."""

from almanac.composition.aws_events import aws_stream

handler = aws_stream()
