"""Every family at one address: /mcp."""

from almanac.composition.aws import aws_hub

handler = aws_hub()
