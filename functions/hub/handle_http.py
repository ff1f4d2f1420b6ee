"""Every family at one address: /mcp."""

from almanac.families.catalogue import every_family
from almanac.gateway.aws import open_limits, services_on_aws
from almanac.gateway.http_door import http_handler

handler = http_handler(*every_family(services_on_aws()), admission=open_limits)
