"""What hits say: the records of memory and the documents of other families, read as they stand in the store."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias, TypeVar

from almanac.families.memory.core.documents import PROFILES
from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import MEMORIES, TURNS, Memory, Turn, is_remembered
from almanac.platform.declaration.known_facts import FACT, KnownFact, KnownFacts, When
from almanac.platform.search.asking.port import Hit
from almanac.platform.search.port import Document
from almanac.platform.search.source import Source
from almanac.platform.services import Services

Content: TypeAlias = Turn | Memory | Document | KnownFact

R = TypeVar("R", Turn, Memory)


class Contents:
    """`as_of`: what was recorded later, or was written otherwise later, is not there. In milliseconds since 1970.
    `when`: facts that do not hold then are not there; None: those that do not hold now."""

    def __init__(
        self,
        project: MemoryProject,
        services: Services,
        sources: Mapping[str, Source],
        as_of: int | None = None,
        when: When | None = None,
    ) -> None:
        self._project = project
        self._services = services
        self._sources = sources
        self._as_of = as_of
        self._when = when or When(project.now(), project.now() + 1)

    def of(self, hits: Sequence[Hit]) -> dict[str, Content]:
        """Those that may still be seen, by id."""
        by_kind: dict[str, list[str]] = {}
        for hit in hits:
            by_kind.setdefault(hit.kind, []).append(hit.id)
        turns = by_kind.pop("turn", [])
        memories = [one for kind in by_kind for one in by_kind[kind] if kind in PROFILES]
        found: dict[str, Content] = dict(self.turns(turns))
        found |= self._visible(self._project.rows(MEMORIES).by_id(memories))
        for kind in by_kind.keys() - PROFILES.keys():
            found |= self._documents(kind, by_kind[kind])
        return found

    def turns(self, ids: Iterable[str]) -> dict[str, Turn]:
        return self._visible(self._project.rows(TURNS).by_id(ids))

    def _facts(self, ids: Sequence[str]) -> Mapping[str, KnownFact]:
        known = self._services.find(KnownFacts)
        return {} if known is None else known.holding(self._project.scope, ids, self._when, self._project.zone)

    def _documents(self, kind: str, ids: Sequence[str]) -> Mapping[str, Document | KnownFact]:
        if kind == FACT:
            return self._facts(ids)
        source = self._sources.get(kind)
        found = source.read(self._services, self._project.scope, ids) if source is not None else ()
        return {each.id: each for each in found if self._as_of is None or (each.recorded_at or each.at) <= self._as_of}

    def _visible(self, records: Mapping[str, R]) -> dict[str, R]:
        now = self._project.now()
        return {name: one for name, one in records.items() if is_remembered(one, now) and self._was_known(one)}

    def _was_known(self, record: Turn | Memory) -> bool:
        as_of = self._as_of
        if as_of is None:
            return True
        rewritten = any(step.what == "rewritten" and step.at > as_of for step in record.history)
        return record.recorded_at <= as_of and not rewritten
