"""Handle connections, subscriptions and disconnections of the live feed's WebSocket API."""

from almanac.composition.aws_feed import aws_feed_socket

handler = aws_feed_socket()
