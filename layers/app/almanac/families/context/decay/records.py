"""The stored progress of a decay round.

P#<tenant>#<project>#fading_rounds   FadingRound
"""

from almanac.platform.store.records import Record, Table


class FadingRound(Record, frozen=True, kw_only=True):
    """The next run looks at memories from the instant `next_at` on, in milliseconds since 1970; of those of that very
    instant at the ones behind the id `after`."""

    next_at: int
    after: str = ""


ROUNDS = Table(FadingRound, "fading_rounds")
