"""Events from the queue to the families' reactions."""

from almanac.gateway.aws_events import open_delivery
from almanac.gateway.queue_door import queue_handler
from almanac.gateway.reactions import REACTIONS

handler = queue_handler(REACTIONS, open_delivery)
