"""The time family over HTTP: /mcp/time."""

from almanac.families.time.family import family
from almanac.gateway.aws import aws_handler

handler = aws_handler(lambda _: (family,))
