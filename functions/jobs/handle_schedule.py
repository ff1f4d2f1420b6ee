"""Run the scheduled jobs, once a minute."""

from almanac.composition.aws_events import aws_schedule

handler = aws_schedule()
