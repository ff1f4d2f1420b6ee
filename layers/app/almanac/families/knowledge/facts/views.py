"""Facts as results show them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from zoneinfo import ZoneInfo

from msgspec import Struct

from almanac.families.knowledge.core.records import Fact, Source
from almanac.families.knowledge.core.timeline import Because, HoldingInterval
from almanac.families.knowledge.facts.sources import SourceState
from almanac.families.team.core.quoted_texts import TextQuoter
from almanac.kernel.instants import instant_at

MAX_BY = 10
SOURCES_IN_LISTS = 5


class FactView(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A fact holds from `valid_from` until before `valid_to`, which is null while no end is known. Both are
    milliseconds since 1970, and also local times if the caller has a zone. If they are equal, it never held.
    `recorded_at`: when it was recorded; `confirmed_at`: when it was last repeated. `ended_because`: its end was stated
    with it, an actor invalidated it (`reason`), or the named facts superseded it. `sources_cut`: there are others, or
    the API key may not see some. `redacted`: kinds of removed secrets. `notes` name parts of its texts that look like
    instructions."""

    fact_id: str
    subject: str
    predicate: str
    object: str
    confidence: float
    valid_from: int
    valid_to: int | None
    active: bool
    recorded_at: int
    confirmed_at: int
    actor: str
    untrusted: bool
    tool: str | None = None
    valid_from_local: str | None = None
    valid_to_local: str | None = None
    ended_because: Because | None = None
    superseded_by: tuple[str, ...] = ()
    reason: str | None = None
    sources: tuple[SourceState, ...] = ()
    sources_cut: bool = False
    metadata: dict[str, Any] = {}
    redacted: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class FactViewBuilder(Struct, frozen=True):
    """A builder of fact views. `states` has the visible sources by id; `zone` is the caller's."""

    states: Mapping[str, SourceState]
    zone: ZoneInfo | None
    most_sources: int = SOURCES_IN_LISTS

    def view(self, fact: Fact, holding: HoldingInterval, *, active: bool, known_at: int | None = None) -> FactView:
        """Return the view of a fact as known at `known_at`; None means now."""
        quoting, shown_sources = TextQuoter(), fact.sources[: self.most_sources]
        return FactView(
            fact_id=fact.id,
            subject=quoting.text("subject", fact.subject),
            predicate=quoting.text("predicate", fact.predicate),
            object=quoting.text("object", fact.object),
            confidence=fact.confidence,
            valid_from=fact.valid_from,
            valid_to=holding.end,
            active=active,
            recorded_at=fact.recorded_at,
            confirmed_at=fact.confirmed_at,
            actor=fact.actor,
            untrusted=True,
            tool=quoting.optional_text("tool", fact.tool),
            valid_from_local=self._local(fact.valid_from),
            valid_to_local=self._local(holding.end),
            ended_because=holding.because,
            superseded_by=holding.by[:MAX_BY],
            reason=quoting.optional_text("reason", _reason(fact, holding, known_at)),
            sources=tuple(self.states[one.id] for one in shown_sources if one.id in self.states),
            sources_cut=len(fact.sources) > self.most_sources
            or any(one.id not in self.states for one in shown_sources),
            metadata=quoting.json("metadata", fact.metadata),
            redacted=fact.redacted,
            notes=quoting.notes,
        )

    def _local(self, instant: int | None) -> str | None:
        if instant is None or self.zone is None:
            return None
        try:
            return instant_at(instant).astimezone(self.zone).isoformat()
        except OverflowError:  # the first hours of the year 1, west of Greenwich
            return None


def sources_to_show(facts: Iterable[Fact], most: int = SOURCES_IN_LISTS) -> Sequence[Source]:
    """Return the sources whose states `FactViewBuilder` needs."""
    return [source for fact in facts for source in fact.sources[:most]]


def _reason(fact: Fact, holding: HoldingInterval, known_at: int | None) -> str | None:
    if holding.because != "invalidated":
        return None
    said = [ending for ending in fact.endings if known_at is None or ending.known_at <= known_at]
    return said[-1].reason if said else None
