"""The calendar family over HTTP: /mcp/calendar."""

from almanac.composition.aws import aws_handler
from almanac.families.calendar.family import family

handler = aws_handler(lambda services: (family(services),))
