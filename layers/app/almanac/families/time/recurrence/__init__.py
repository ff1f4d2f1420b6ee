"""Recurrence rules of RFC 5545 (with RSCALE=GREGORIAN and SKIP of RFC 7529), and their instances in a zone.

rule = parse_rule("FREQ=MONTHLY;BYDAY=-1FR") expand(rule, datetime(2026, 1, 1, 10), find_zone("America/New_York"),
limit=12)
"""

from almanac.families.time.recurrence.expansion import Expansion, Occurrence, SkippedInstance, expand, starts_within
from almanac.families.time.recurrence.moments import GapPolicy
from almanac.families.time.recurrence.parser import parse_rule
from almanac.families.time.recurrence.rule import Rule, WeekdayNum

__all__ = [
    "Expansion",
    "GapPolicy",
    "Occurrence",
    "Rule",
    "SkippedInstance",
    "WeekdayNum",
    "expand",
    "parse_rule",
    "starts_within",
]
