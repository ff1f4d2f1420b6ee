"""The context window: its sections, filled within the requested number of tokens."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from almanac.families.context.core.context import Context
from almanac.families.context.core.types import WORKING
from almanac.families.context.window.ghosts import ghosts
from almanac.families.context.window.patterns import most_used
from almanac.families.context.window.reader import MOST, Readings, read_all
from almanac.families.context.window.relevance import RatedMemory, rank_memories
from almanac.families.context.window.rows import (
    CurrentContext,
    Window,
    WindowLeftOut,
    memory_candidate,
    pattern_candidate,
)
from almanac.families.context.window.suggestions import suggestions
from almanac.families.context.window.window_request import WindowRequest
from almanac.families.memory.snapshot.budget import Candidate, FilledSection, Section, fill_sections
from almanac.families.memory.snapshot.tokens import tokens_of_json
from almanac.search.questions.port import Search

_SECTIONS: Mapping[str, Section] = {
    "working": Section(0.25, 220),
    "relevant": Section(0.35, 240),
    "patterns": Section(0.2, 220),
    "suggestions": Section(0.1, 180),
    "ghost_messages": Section(0.1, 180),
}
"""Sections in the order in which they are filled. Room that one leaves goes to those after it, then to those before."""


def current_context(context: Context, search: Search, request: WindowRequest) -> CurrentContext:
    readings = read_all(context, search, request)
    found = rank_memories(readings, request)
    candidates = _candidates(readings, found[:MOST], request, context.now())
    beyond = {
        "working": len(readings.working[MOST:]),
        "relevant": len(found[MOST:]),
        "patterns": len(readings.patterns) - len(candidates["patterns"]),
    }
    most_left_out = WindowLeftOut(**{name: len(some) + beyond.get(name, 0) for name, some in candidates.items()})
    frame = CurrentContext(
        context=Window((), (), (), (), ()),
        tokens=request.max_tokens,
        max_tokens=request.max_tokens,
        left_out=most_left_out,
        pending=readings.pending,
        notes=readings.notes,
        untrusted=True,
    )

    around = tokens_of_json(msgspec.to_builtins(frame))
    made = fill_sections(_SECTIONS, candidates, max(0, request.max_tokens - around))
    left_out = {name: one.left_out + beyond.get(name, 0) for name, one in made.items()}
    return _assemble(replace(frame, left_out=WindowLeftOut(**left_out)), made, around)


def _candidates(
    readings: Readings, found: Sequence[RatedMemory], request: WindowRequest, now: int
) -> dict[str, Sequence[Candidate]]:
    used, working = most_used(readings.patterns), readings.working[:MOST]
    return {
        "working": [memory_candidate(memory, WORKING) for memory in working],
        "relevant": [memory_candidate(one.memory, one.layer) for one in found],
        "patterns": [pattern_candidate(match.memory) for match in used],
        "suggestions": suggestions(found, used, working, request, now),
        "ghost_messages": ghosts(found, working, request),
    }


def _assemble(frame: CurrentContext, made: Mapping[str, FilledSection], around: int) -> CurrentContext:
    """Return the result. `around` are the tokens of the frame."""
    rows: dict[str, tuple[Any, ...]] = {name: one.rows for name, one in made.items()}
    return replace(
        frame,
        context=Window(**rows),
        tokens=around + sum(one.tokens for one in made.values()),
        untrusted=any(rows.values()),
    )
