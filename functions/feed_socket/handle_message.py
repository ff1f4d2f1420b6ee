"""The live feed's WebSocket API: who connects, what they want, who is gone."""

from almanac.composition.aws_feed import open_socket_parts
from almanac.gateway.feed.socket_door import socket_handler

handler = socket_handler(open_socket_parts)
