"""The knowledge family over HTTP: /mcp/knowledge."""

from almanac.composition.aws import aws_handler

handler = aws_handler("knowledge")
