"""Events from the queue to the families' reactions."""

from almanac.composition.aws_events import open_delivery
from almanac.composition.reactions import REACTIONS
from almanac.gateway.events.queue_door import queue_handler

handler = queue_handler(REACTIONS, open_delivery)
