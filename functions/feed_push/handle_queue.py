"""Write events from the live feed's queue to the logs of their projects, and send them to listeners."""

from almanac.composition.aws_feed import aws_feed_push

handler = aws_feed_push()
