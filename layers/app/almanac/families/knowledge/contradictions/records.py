"""Stored records of contradictions: which pairs of facts have been told of, so that each is told once.

P#<tenant>#<project>#fact_contradictions   <fact_a>#<fact_b>   FoundContradiction
"""

from typing import Literal

from almanac.platform.store.records import Record, Table


class FoundContradiction(Record, frozen=True, kw_only=True):
    """`fact_a` is the smaller one of two ids. `found_at` is when the pair was first found."""

    fact_a: str
    fact_b: str
    severity: Literal["low", "medium", "high"]
    found_at: int


FOUND = Table(FoundContradiction, "fact_contradictions", sort=("fact_a", "fact_b"))
