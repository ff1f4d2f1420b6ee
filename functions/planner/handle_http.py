"""The planner family over HTTP: /mcp/planner."""

from almanac.families.planner.family import family
from almanac.gateway.aws import aws_handler

handler = aws_handler(lambda services: (family(services),))
