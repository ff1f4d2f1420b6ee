"""The time family over HTTP: /mcp/time."""

from almanac.families.time.family import family
from almanac.gateway.aws import open_limits
from almanac.gateway.http_door import http_handler

handler = http_handler(family, admission=open_limits)
