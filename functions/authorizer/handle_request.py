"""Who calls, and may they: API Gateway's REQUEST authorizer."""

from almanac.gateway.aws import aws_authorizer

handler = aws_authorizer()
