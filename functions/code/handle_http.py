"""The code family over HTTP: /mcp/code."""

from almanac.composition.aws import aws_handler

handler = aws_handler("code")
