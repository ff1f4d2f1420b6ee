"""The kinds of events that bells tell of."""

from almanac.kernel.events import EventKind

KINDS = (EventKind("bell_rung", "A bell was rung.", {"bell": "front"}),)
