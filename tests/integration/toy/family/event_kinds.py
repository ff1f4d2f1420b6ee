"""The kinds of events that bells tell of."""

from almanac.kernel.event_kinds import EventKind

KINDS = (EventKind("bell_rung", "A bell was rung.", {"bell": "front"}),)
