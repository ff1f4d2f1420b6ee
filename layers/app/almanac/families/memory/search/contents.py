"""Contents of search hits, read from the store: memory records and documents of other families, now or in the past."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from msgspec.structs import replace

from almanac.families.memory.core.documents import PROFILES
from almanac.families.memory.core.history import was_shown
from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import MEMORIES, TURNS, Memory, Turn, is_remembered
from almanac.families.memory.memories.time_travel import CUT, Past, past_of
from almanac.families.memory.memories.versions import version_at
from almanac.platform.declaration.known_facts import FACT, KnownFact, KnownFacts, When
from almanac.platform.services import Services
from almanac.search.port import Document
from almanac.search.questions.port import Hit
from almanac.search.source import Source

Content: TypeAlias = Turn | Memory | Document | KnownFact


_MOST_IDS_IN_NOTE = 5


class Contents:
    """Reads the contents of hits as they are now, or as they were at `as_of`, in milliseconds since 1970.

    With `as_of`, records written later are left out, and memories appear in their version of that time. `past` has the
    memories that have changed since. `lost` has the ids of contents whose text of that time is no longer stored.
    Facts that do not hold during `when`, by default now, are left out."""

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
        self.past = Past() if as_of is None else past_of(project, as_of)
        self.lost = set(self.past.lost)
        self._from_sources: dict[str, Document] = {}
        self._notes: list[str] = []
        self._when = when or When(project.now(), project.now() + 1)

    @property
    def notes(self) -> list[str]:
        """Return notes on contents that are missing from the answer."""
        notes = [CUT, *self._notes] if self.past.cut else [*self._notes]
        if self.lost:
            ids = ", ".join(sorted(self.lost)[:_MOST_IDS_IN_NOTE])
            notes.append(
                f"Left out, as they were written anew after as_of and their text of then is not kept: {ids}"
                f"{' and others' if len(self.lost) > _MOST_IDS_IN_NOTE else ''}."
            )
        return notes

    def read(self, hits: Sequence[Hit]) -> dict[str, Content]:
        """Return the contents of the hits by id, without contents that were forgotten or did not exist at `as_of`."""
        by_kind: dict[str, list[str]] = {}
        past: Mapping[str, Content] = {**self.past.memories, **self._from_sources}
        contents: dict[str, Content] = {hit.id: past[hit.id] for hit in hits if hit.id in past}
        for hit in hits:
            if hit.id not in contents:
                by_kind.setdefault(hit.kind, []).append(hit.id)
        turns = by_kind.pop("turn", [])
        memories = [memory_id for kind in by_kind for memory_id in by_kind[kind] if kind in PROFILES]
        contents |= self.turns(turns)
        contents |= self._memories(memories)
        for kind in by_kind.keys() - PROFILES.keys():
            contents |= self._documents(kind, by_kind[kind])
        return contents

    def documents_as_of(self, kinds: Iterable[str]) -> tuple[Document, ...]:
        """Return the `as_of` versions of documents of other families that changed later.

        Each version gets an id of its own, `<id>@<as_of>`."""
        as_of = self._as_of
        sources = [self._sources[kind] for kind in kinds if kind in self._sources]
        documents: list[Document] = []
        for source in sources:
            if as_of is not None and source.changed is not None:
                ids = source.changed(self._services, self._project.scope, as_of)
                earlier = [each for each in self._documents(source.kind, ids).values() if isinstance(each, Document)]
                self._from_sources |= {f"{each.id}@{as_of}": each for each in earlier}
                documents += [replace(each, id=f"{each.id}@{as_of}") for each in earlier]
        return tuple(documents)

    def documents_outside_index(self, kinds: Iterable[str]) -> tuple[Document, ...]:
        """Return the documents of other families that are in no search index and existed at `as_of`."""
        documents: list[Document] = []
        for source in [self._sources[kind] for kind in kinds if kind in self._sources]:
            if source.unindexed is not None:
                read = source.unindexed(self._services, self._project.scope)
                documents += [each for each in read.documents if self._as_of is None or each.recorded_at <= self._as_of]
                self._notes += [read.note] if read.note else []
        self._from_sources |= {each.id: each for each in documents}
        return tuple(documents)

    def turns(self, ids: Iterable[str]) -> dict[str, Turn]:
        """Return the turns with these ids, without turns that were forgotten or did not exist at `as_of`."""
        records, now = self._project.rows(TURNS).by_id(ids), self._project.now()
        return {name: turn for name, turn in records.items() if is_remembered(turn, now) and self._was_shown(turn)}

    def _was_shown(self, turn: Turn) -> bool:
        return self._as_of is None or was_shown(turn, self._as_of)

    def _memories(self, ids: Sequence[str]) -> dict[str, Memory]:
        memories: dict[str, Memory] = {}
        now = self._project.now()
        for name, memory in self._project.rows(MEMORIES).by_id(ids).items():
            if is_remembered(memory, now):
                version = memory if self._as_of is None else version_at(self._project, memory, self._as_of)
                if isinstance(version, Memory):
                    memories[name] = version
                elif version is not None:
                    self.lost.add(version.id)
        return memories

    def _facts(self, ids: Sequence[str]) -> Mapping[str, KnownFact]:
        facts = self._services.find(KnownFacts)
        return {} if facts is None else facts.facts_at(self._project.scope, ids, self._when, self._project.zone)

    def _documents(self, kind: str, ids: Sequence[str]) -> Mapping[str, Document | KnownFact]:
        if kind == FACT:
            return self._facts(ids)
        source = self._sources.get(kind)
        if source is None:
            return {}
        scope, as_of = self._project.scope, self._as_of
        if as_of is not None and source.then is not None:
            then = source.then(self._services, scope, ids, as_of)
            self.lost.update(then.lost)
            return {each.id: each for each in then.documents}
        documents = source.read(self._services, scope, ids)
        return {each.id: each for each in documents if as_of is None or (each.recorded_at or each.at) <= as_of}
