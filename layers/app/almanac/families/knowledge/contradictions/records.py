"""Stored records of contradictions that were announced, so that each pair is announced once."""

from typing import Literal

from almanac.platform.store.records import Record, Table


class FoundContradiction(Record, frozen=True, kw_only=True):
    """A contradicting pair. `fact_a` is the smaller of the two ids. `found_at` is when it was first found."""

    fact_a: str
    fact_b: str
    severity: Literal["low", "medium", "high"]
    found_at: int


FOUND = Table(FoundContradiction, "fact_contradictions", sort=("fact_a", "fact_b"))
