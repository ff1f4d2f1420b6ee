"""The team family over HTTP: /mcp/team."""

from almanac.composition.aws import aws_handler

handler = aws_handler("team")
