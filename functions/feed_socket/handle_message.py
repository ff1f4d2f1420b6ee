"""The live feed's WebSocket API: who connects, what they want, who is gone."""

from almanac.composition.aws_feed import aws_feed_socket

handler = aws_feed_socket()
