"""The live feed's WebSocket API: who connects, what they want, who is gone."""

from almanac.gateway.aws_feed import open_socket_parts
from almanac.gateway.feed_socket_door import socket_handler

handler = socket_handler(open_socket_parts)
