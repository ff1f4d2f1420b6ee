"""The planner family over HTTP: /mcp/planner."""

from almanac.composition.aws import aws_handler
from almanac.families.planner.family import family

handler = aws_handler(lambda services: (family(services),))
