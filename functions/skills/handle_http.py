"""The skills family over HTTP: /mcp/skills."""

from almanac.composition.aws import aws_handler

handler = aws_handler("skills")
