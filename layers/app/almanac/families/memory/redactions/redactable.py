"""List turns, memories and candidates, which may hold secrets stored before redaction existed."""

from collections.abc import Iterator
from typing import Any, cast

from msgspec.structs import replace

from almanac.content.redaction import RedactedValue
from almanac.families.memory.candidates.records import CANDIDATES, Candidate
from almanac.families.memory.core.memory import MemoryProject, open_memory
from almanac.families.memory.core.records import MEMORIES, TURNS, Memory, Step, Turn, with_step
from almanac.families.memory.entities.records import TURN_REWRITTEN
from almanac.kernel.caller import Caller
from almanac.kernel.clock import Clock
from almanac.platform.redactions.rows import redaction_changes
from almanac.platform.redactions.scan import AT_ONCE, Redactable, StoredTexts
from almanac.platform.services import Services
from almanac.platform.store.port import Change
from almanac.platform.store.records import replace as next_version


def _turns(services: Services, caller: Caller) -> Iterator[StoredTexts]:
    memory = open_memory(services, caller, services.get(Clock))
    return (_texts(memory, each) for each in memory.rows(TURNS).every(page=AT_ONCE))


def _memories(services: Services, caller: Caller) -> Iterator[StoredTexts]:
    memory = open_memory(services, caller, services.get(Clock))
    return (_texts(memory, each) for each in memory.rows(MEMORIES).every(page=AT_ONCE))


def _candidates(services: Services, caller: Caller) -> Iterator[StoredTexts]:
    memory = open_memory(services, caller, services.get(Clock))
    for each in memory.rows(CANDIDATES).every(page=AT_ONCE):
        texts = {"content": each.content, "due": each.due}
        yield StoredTexts(
            texts, lambda redacted, each=each: memory.store.write(_candidate_changes(memory, each, redacted))
        )


def _candidate_changes(memory: MemoryProject, candidate: Candidate, redacted: RedactedValue) -> list[Change]:
    """Return the changes that rewrite a candidate and list its redactions.

    A candidate repeats a sentence of its turn, which has its own redactions as long as it exists."""
    kinds = dict.fromkeys([*candidate.redacted, *(each.kind for each in redacted.findings)])
    new = replace(candidate, **cast("dict[str, Any]", redacted.value), redacted=tuple(kinds))
    redaction_rows = redaction_changes(
        memory,
        candidate.id,
        "candidate",
        redacted.findings,
        memory.now(),
        tool=candidate.tool,
        session=candidate.session,
    )
    return [next_version(memory.rows(CANDIDATES), new), *redaction_rows]


def _texts(memory: MemoryProject, record: Turn | Memory) -> StoredTexts:
    texts: dict[str, Any] = {"content": record.content, "tags": record.tags, "metadata": record.metadata}
    if isinstance(record, Memory) and record.earlier:
        texts["earlier"] = [
            {"content": each.content, "tags": each.tags, "metadata": each.metadata} for each in record.earlier
        ]
    return StoredTexts(texts, lambda redacted: memory.store.write(_rewrite_changes(memory, record, redacted)))


def _rewrite_changes(memory: MemoryProject, record: Turn | Memory, redacted: RedactedValue) -> list[Change]:
    """Return the changes that write the redacted record, add a step to its history and update search."""
    fields, at = dict(cast("dict[str, Any]", redacted.value)), memory.now()
    if isinstance(record, Memory) and "earlier" in fields:
        pairs = zip(record.earlier, fields["earlier"], strict=True)
        fields["earlier"] = tuple(replace(each, **{**texts, "tags": tuple(texts["tags"])}) for each, texts in pairs)
    kinds = dict.fromkeys([*record.redacted, *(each.kind for each in redacted.findings)])
    history = with_step(record.history, Step(at, "redacted", memory.actor))
    new = replace(record, **fields, redacted=tuple(kinds), history=history)
    where = "turn" if isinstance(record, Turn) else "memory"
    redaction_rows = redaction_changes(
        memory, record.id, where, redacted.findings, at, tool=record.tool, session=record.session
    )
    events = [memory.event(TURN_REWRITTEN, record.id, {"turn_id": record.id}, at=at)] if where == "turn" else []
    return [*memory.put(new, is_new=False, events=events), *redaction_rows]


REDACTABLE = (Redactable("turn", _turns), Redactable("memory", _memories), Redactable("candidate", _candidates))
