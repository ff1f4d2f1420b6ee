"""Handler of API Gateway's REQUEST authorizer: identifies the caller and decides whether the call may pass."""

from almanac.composition.aws import aws_authorizer

handler = aws_authorizer()
