"""Summaries as stored memories: creation, and rebuilding when an original is forgotten.

A summary is written before its originals are hidden, which takes several writes. If these are interrupted, the event of
the first one completes them: `settle` does the rest and can be repeated.
"""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace as altered

from almanac.families.context.summaries.originals import SUMMARY, Choice, originals
from almanac.families.context.summaries.restoration import holds, supersede_originals
from almanac.families.context.summaries.sentence_choice import dates_of, summary_text
from almanac.families.memory.core.event_kinds import MEMORY_PINNED
from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import MEMORIES, Memory, Step, is_readable, with_step
from almanac.families.memory.core.redacted_fields import without_secrets
from almanac.families.memory.memories.event_payloads import readable_payload
from almanac.families.memory.memories.forget_and_restore import forget
from almanac.families.memory.memories.salience import FIRST

SUMMARISED = "context_summarised"
"""Internal event for the reaction that completes an interrupted summary."""

TAGS = ("summary", "archived")
_NAMED = 100
"""Ids of originals listed in the metadata. `derived_from` has all of them."""
_TOKENS, _COUNT = "targetTokens", "summarizedCount"
_NOTHING_LEFT = "The memories behind this summary were forgotten."
LEAST_TOKENS, MOST_TOKENS = 50, 8000


class SummaryRequest(Struct, frozen=True, kw_only=True):
    """A request for a summary. The `place` of the choice is stored with the summary."""

    choice: Choice
    target_tokens: int
    session: str | None = None


class SummaryResult(Struct, frozen=True):
    """The outcome. `summary` is None if there was nothing to summarise. `more`: there is more to summarise."""

    summary: Memory | None
    count: int = 0
    more: bool = False


def summarise(project: MemoryProject, request: SummaryRequest) -> SummaryResult:
    """Write a summary and hide its originals from search and lists. Of two concurrent callers, the first to hide an
    original has it in its summary."""
    chosen = originals(project, request.choice)
    if not chosen.memories:
        return SummaryResult(None, more=chosen.more)
    summary = new_summary(project, request, chosen.memories)
    told = [
        project.event(MEMORY_PINNED, summary.id, readable_payload(summary), at=summary.recorded_at),
        project.event(SUMMARISED, summary.id, {"memory_id": summary.id}, at=summary.recorded_at),
    ]
    project.store.write(project.put(summary, is_new=True, events=told))
    settled = settle(project, summary.id)
    return SummaryResult(settled, 0 if settled is None else settled.metadata[_COUNT], chosen.more)


def settle(project: MemoryProject, summary_id: str, *, anew: bool = False) -> Memory | None:
    """Complete a summary: hide its originals, and remove sentences of those it does not replace. Return None if nothing
    is left of it, or it was forgotten. `anew`: also hide originals that were restored from it."""
    summary = holds(project, summary_id)
    if summary is None:
        return None
    if supersede_originals(project, summary, anew=anew) == len(summary.derived_from):
        return holds(project, summary_id)
    return rebuild(project, summary_id)


def rebuild(project: MemoryProject, summary_id: str) -> Memory | None:
    """Rebuild the summary from the readable originals it replaces. If there are none, forget it and return None."""

    def attempt() -> Memory | None:
        summary = holds(project, summary_id)
        if summary is None or summary.type != SUMMARY:
            return None
        left = _readable_originals(project, summary)
        if not left and project.is_shared and not project.rows(MEMORIES).by_id(summary.derived_from):
            return summary  # promoted: its originals stayed in the former project
        if len(left) == summary.metadata.get(_COUNT) and tuple(one.id for one in left) == summary.derived_from:
            return summary
        fields = _of(left, _tokens_of(summary)) if left else {"content": _NOTHING_LEFT}
        if fields["content"] == summary.content:
            return summary
        history = with_step(summary.history, Step(project.now(), "rewritten", project.actor))
        again = altered(summary, history=history, **fields)
        project.store.write(project.put(again, is_new=False))
        return altered(again, version=summary.version + 1)

    again = project.retry_on_conflict(attempt)
    if again is not None and again.content == _NOTHING_LEFT:
        forget(project, summary_id)
        return None
    return again


def _tokens_of(summary: Memory) -> int:
    stored_tokens = summary.metadata.get(_TOKENS)
    return stored_tokens if isinstance(stored_tokens, int) and stored_tokens >= LEAST_TOKENS else LEAST_TOKENS


def _readable_originals(project: MemoryProject, summary: Memory) -> list[Memory]:
    """Return the readable originals that the summary replaces, the oldest first."""
    now = project.now()
    found = project.rows(MEMORIES).by_id(summary.derived_from).values()
    held = [one for one in found if one.superseded_by == summary.id and is_readable(one, now)]
    return sorted(held, key=lambda one: (one.at, one.id))


def new_summary(project: MemoryProject, request: SummaryRequest, memories: Sequence[Memory]) -> Memory:
    now = project.now()
    return Memory(
        id=project.new_id(now),
        kind="semantic",
        at=now,
        recorded_at=now,
        actor=project.actor,
        session=request.session,
        tags=TAGS,
        type=SUMMARY,
        place=request.choice.place,
        derived_from=tuple(memory.id for memory in memories),
        salience=FIRST["semantic"],
        used_at=now,
        history=(Step(now, "recorded", project.actor),),
        **_of(memories, request.target_tokens),
    )


def _of(memories: Sequence[Memory], target_tokens: int) -> dict[str, Any]:
    """Return the fields of a summary that depend on its originals."""
    first, last = dates_of(memories)
    redacted = without_secrets(summary_text(memories, target_tokens), (), {})
    kinds = dict.fromkeys([*(kind for memory in memories for kind in memory.redacted), *redacted.kinds])
    return {
        "content": redacted.content,
        "redacted": tuple(kinds),
        "from_at": memories[0].at,
        "to_at": memories[-1].at,
        "metadata": {
            _COUNT: len(memories),
            "dateRange": {"from": first, "to": last},
            "originalIds": [memory.id for memory in memories[:_NAMED]],
            _TOKENS: target_tokens,
        },
    }
