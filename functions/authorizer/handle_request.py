"""Identify the caller of a request and decide whether it may pass, as API Gateway's REQUEST authorizer."""

from almanac.composition.aws import aws_authorizer

handler = aws_authorizer()
