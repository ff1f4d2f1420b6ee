"""Events from the live feed's queue into the logs of their projects, and to who listens."""

from almanac.composition.aws_events import open_delivery
from almanac.composition.aws_feed import open_push_parts
from almanac.gateway.feed.push_door import push_handler

handler = push_handler(open_push_parts, open_delivery)
