"""The context family over HTTP: /mcp/context."""

from almanac.composition.aws import aws_handler

handler = aws_handler("context")
