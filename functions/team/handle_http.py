"""The team family over HTTP: /mcp/team."""

from almanac.families.team.family import family
from almanac.gateway.aws import aws_handler

handler = aws_handler(lambda services: (family(services),))
