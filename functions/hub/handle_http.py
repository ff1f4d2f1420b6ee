"""Every family at one address: /mcp."""

from almanac.families.catalogue import every_family
from almanac.gateway.aws import aws_handler

handler = aws_handler(every_family)
