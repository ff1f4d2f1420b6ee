"""Every family at one address: /mcp."""

from almanac.composition.aws import aws_handler
from almanac.composition.families import every_family

handler = aws_handler(every_family)
