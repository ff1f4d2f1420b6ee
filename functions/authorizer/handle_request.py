"""Who calls, and may they: API Gateway's REQUEST authorizer."""

from almanac.composition.aws import aws_authorizer

handler = aws_authorizer()
