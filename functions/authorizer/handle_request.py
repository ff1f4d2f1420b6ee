"""Who calls, and may they: API Gateway's REQUEST authorizer."""

from almanac.gateway.authorizer import authorizer_handler
from almanac.gateway.aws import open_gatekeeper

handler = authorizer_handler(open_gatekeeper)
