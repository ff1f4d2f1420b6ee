"""The memory family over HTTP: /mcp/memory."""

from almanac.composition.aws import aws_handler

handler = aws_handler("memory")
