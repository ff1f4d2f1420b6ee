"""The team family over HTTP: /mcp/team."""

from almanac.composition.aws import aws_handler
from almanac.families.team.family import family

handler = aws_handler(lambda services: (family(services),))
