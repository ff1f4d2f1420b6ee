"""The stored progress of a decay round.

P#<tenant>#<project>#fading_rounds   FadingRound
"""

from almanac.platform.store.records import Record, Table


class FadingRound(Record, frozen=True, kw_only=True):
    """The progress of a round. The next run continues with memories at `next_at`, in milliseconds since 1970, after the
    id `after`."""

    next_at: int
    after: str = ""


ROUNDS = Table(FadingRound, "fading_rounds")
