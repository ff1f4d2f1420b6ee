"""Delete large values that no item names any more, once a day."""

from almanac.composition.aws_events import aws_sweep

handler = aws_sweep()
