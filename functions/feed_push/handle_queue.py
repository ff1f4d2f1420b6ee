"""Events from the live feed's queue into the logs of their projects, and to who listens."""

from almanac.composition.aws_feed import aws_feed_push

handler = aws_feed_push()
