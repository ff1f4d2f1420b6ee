"""The calendar family over HTTP: /mcp/calendar."""

from almanac.families.calendar.family import family
from almanac.gateway.aws import aws_handler

handler = aws_handler(lambda services: (family(services),))
