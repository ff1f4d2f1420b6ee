"""Events from the table's stream to the queue of our reactions and to the bus."""

from almanac.composition.aws_events import open_sinks
from almanac.gateway.events.stream_door import stream_handler

handler = stream_handler(open_sinks)
