"""The time family over HTTP: /mcp/time."""

from almanac.composition.aws import aws_handler
from almanac.families.time.family import family

handler = aws_handler(lambda _: (family,))
