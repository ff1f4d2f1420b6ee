"""The time family over HTTP: /mcp/time."""

from almanac.composition.aws import aws_handler

handler = aws_handler("time")
