"""The calendar family over HTTP: /mcp/calendar."""

from almanac.composition.aws import aws_handler

handler = aws_handler("calendar")
