"""Events from the table's stream to the queue of our reactions and to the bus."""

from almanac.composition.aws_events import aws_stream

handler = aws_stream()
