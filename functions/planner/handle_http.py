"""The planner family over HTTP: /mcp/planner."""

from almanac.composition.aws import aws_handler

handler = aws_handler("planner")
