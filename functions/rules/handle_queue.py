"""Pass events from the event bus to the rules that listen to them."""

from almanac.composition.aws_events import aws_rules

handler = aws_rules()
