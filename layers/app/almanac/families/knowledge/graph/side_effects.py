"""Side effects of a supersedes edge on its ends, and their undo."""

from typing import Literal

from msgspec import Struct
from msgspec.structs import replace as altered

from almanac.families.knowledge.core.knowledge import Knowledge
from almanac.families.knowledge.core.records import Fact
from almanac.families.knowledge.core.slots import interval_of
from almanac.families.knowledge.facts.invalidation import end_changes
from almanac.families.knowledge.graph.ends import End, Ends
from almanac.families.memory.core.records import Memory
from almanac.families.memory.edges.records import EDGES, Edge, Effects
from almanac.families.memory.memories.salience import decay, salience_at
from almanac.families.memory.memories.supersession import set_salience, supersede, unsupersede
from almanac.platform.store.port import Change

Effect = Literal[
    "superseded",
    "restored",
    "salience_moved",
    "salience_returned",
    "fact_ended",
    "fact_reopened",
    "contradiction_recorded",
    "unchanged",
]


class SideEffect(Struct, frozen=True, omit_defaults=True):
    """A side effect on the thing `id`, in plain words in `says`. `amount` is the salience that it gained or lost."""

    effect: Effect
    id: str
    says: str
    amount: float | None = None


class Consequences(Struct, frozen=True):
    """Side effects of an edge. Write `changes` together with the edge. They already check the versions of the `ends`
    that they replace. `effects` are stored with the edge."""

    side_effects: tuple[SideEffect, ...] = ()
    changes: tuple[Change, ...] = ()
    ends: frozenset[str] = frozenset()
    effects: Effects | None = None


def supersede_effects(ends: Ends, src: End, dst: End, before: Effects | None = None) -> Consequences:
    """Return the effects of a supersedes edge. `before` are those of the same edge earlier, since salience moves only
    once."""
    match dst.record:
        case Memory() as memory:
            return _memory_superseded(ends, src, dst, memory, before)
        case Fact() as fact:
            return _fact_superseded(ends.home_of(dst), src, fact, before)
        case _:
            return Consequences((SideEffect("unchanged", dst.id, f"A {dst.what} stays as it is: the edge tells."),))


def removal_effects(ends: Ends, edge: Edge, dst: End | None) -> Consequences:
    """Return the effects of removing a supersedes edge. With `dst` None the target is gone, and nothing can be
    undone."""
    if dst is None or edge.kind != "supersedes":
        return Consequences()
    match dst.record:
        case Memory() as memory:
            return _memory_back(ends, edge, dst, memory)
        case Fact() as fact if edge.effects is not None:
            return _fact_back(ends.home_of(dst), edge, fact, edge.effects)
        case _:
            return Consequences()


def _memory_superseded(ends: Ends, src: End, dst: End, memory: Memory, before: Effects | None) -> Consequences:
    if memory.superseded_at is not None:
        by = "this" if memory.superseded_by == src.id else str(memory.superseded_by)
        told = SideEffect("unchanged", memory.id, f"It was superseded by {by} already; no salience moves.")
        return Consequences((told,), effects=before)
    project = ends.home_of(dst).memory
    now = project.now()
    hidden = "It left search and lists; get_memory still reads it, forget_memory with restore=true brings it back."
    told = [SideEffect("superseded", memory.id, hidden)]
    if before is not None or not isinstance(src.record, Memory):
        effects = altered(before, closed=True) if before else Effects(at=now, closed=True)
        changes = supersede(project, memory, src.id, None)
        return Consequences(tuple(told), tuple(changes), frozenset([memory.id]), effects)
    newer, kept = src.record, salience_at(memory, now) / 2
    room = 1.0 - salience_at(newer, now)
    gained = min(kept, room)
    changes = supersede(project, memory, src.id, kept)
    told.append(_salience_moved(memory, newer, kept, gained))
    touched = {memory.id}
    if gained > 0:
        changes.append(set_salience(ends.home_of(src).memory, newer, salience_at(newer, now) + gained))
        touched.add(newer.id)
    effects = Effects(at=now, closed=True, moved=kept, gained=gained)
    return Consequences(tuple(told), tuple(changes), frozenset(touched), effects)


def _salience_moved(memory: Memory, newer: Memory, moved: float, gained: float) -> SideEffect:
    amount = round(gained, 3)
    says = f"{amount} of salience moved here from {memory.id}, which lost half of its own, {round(moved, 3)}."
    if newer.kind == "pinned":
        says += " A pinned memory has 1 at any time."
    elif gained < moved:
        says += " More than 1 it cannot have."
    if memory.kind == "pinned":
        says += " The older one is pinned: restored, it has 1 again."
    return SideEffect("salience_moved", newer.id, says, amount)


def _fact_superseded(knowledge: Knowledge, src: End, fact: Fact, before: Effects | None) -> Consequences:
    now = knowledge.now()
    holding = interval_of(knowledge.store, knowledge.scope, fact)
    if holding.never or (holding.end is not None and holding.end <= now):
        side_effect = SideEffect("unchanged", fact.id, "The fact had ended already; its end stays as it is.")
        return Consequences((side_effect,), effects=before)
    said_before = fact.endings[-1].at if fact.endings else None
    changes = end_changes(knowledge, fact, now, _reason(src.id))
    side_effect = SideEffect("fact_ended", fact.id, "The fact ends now; what was true before is still answered.")
    effects = Effects(at=now, closed=True, said_before=said_before)
    return Consequences((side_effect,), tuple(changes), frozenset([fact.id]), effects)


def _memory_back(ends: Ends, edge: Edge, dst: End, memory: Memory) -> Consequences:
    project = ends.home_of(dst).memory
    now = project.now()
    # An edge that had no effect at first may take over from a removed one.
    effects = edge.effects or Effects(at=now)
    side_effects: list[SideEffect] = []
    changes: list[Change] = []
    passed = now - effects.at
    back = salience_at(memory, now) + decay(effects.moved, passed) if effects.moved else None
    salience = None if back is None else min(1.0, back)
    if memory.superseded_at is not None and memory.superseded_by == edge.src:
        other = _another(ends, edge)
        changes += unsupersede(project, memory, other, salience)
        side_effects.append(_restored_effect(memory, other))
    elif salience is not None:
        changes.append(set_salience(project, memory, salience))
    if salience is not None:
        side_effects.append(_salience_returned(memory, edge, decay(effects.moved, passed)))
        src = ends.find([edge.src]).get(edge.src)
        if src is not None and isinstance(src.record, Memory) and effects.gained:
            left = max(0.0, salience_at(src.record, now) - decay(effects.gained, passed))
            changes.append(set_salience(ends.home_of(src).memory, src.record, left))
    return Consequences(tuple(side_effects), tuple(changes))


def _another(ends: Ends, edge: Edge) -> str | None:
    """Return the id of another thing that supersedes the same target, the first by its id."""
    rows = (home.rows(EDGES) for home in ends.knowledge.reach)
    others = [
        record.src for each in rows for record in each.query(edge.dst, "supersedes", index="gsi1", limit=2).records
    ]
    return min((other for other in others if other != edge.src), default=None)


def _restored_effect(memory: Memory, other: str | None) -> SideEffect:
    if other is not None:
        return SideEffect("unchanged", memory.id, f"It stays superseded, by {other}.")
    if memory.forgotten_at is not None:
        return SideEffect("restored", memory.id, "It is no longer superseded, but it is forgotten.")
    return SideEffect("restored", memory.id, "It is in search and lists again.")


def _salience_returned(memory: Memory, edge: Edge, amount: float) -> SideEffect:
    says = f"It has {round(amount, 3)} of salience back from {edge.src}: what had moved, faded since."
    return SideEffect("salience_returned", memory.id, says, round(amount, 3))


def _fact_back(knowledge: Knowledge, edge: Edge, fact: Fact, effects: Effects) -> Consequences:
    last = fact.endings[-1] if fact.endings else None
    if last is None or last.at != effects.at or last.reason != _reason(edge.src):
        side_effect = SideEffect("unchanged", fact.id, "Something else was said of the fact's end since; that stays.")
        return Consequences((side_effect,))
    reason = f"The edge that superseded it, from {edge.src}, was removed."
    changes = end_changes(knowledge, fact, effects.said_before, reason)
    says = "What was said of the fact's end before holds again."
    return Consequences((SideEffect("fact_reopened", fact.id, says),), tuple(changes))


def _reason(src: str) -> str:
    return f"Superseded by {src}."
