"""What hits say: the records of memory and the documents of other families, read as they stand in the store."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias, TypeVar

from almanac.families.memory.core.documents import PROFILES
from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import MEMORIES, TURNS, Memory, Turn, is_remembered
from almanac.platform.search.asking.port import Hit
from almanac.platform.search.port import Document
from almanac.platform.search.source import Source
from almanac.platform.services import Services

Content: TypeAlias = Turn | Memory | Document

R = TypeVar("R", Turn, Memory)


class Contents:
    """`as_of`: what was recorded later, or was written otherwise later, is not there. In milliseconds since 1970."""

    def __init__(
        self, project: MemoryProject, services: Services, sources: Mapping[str, Source], as_of: int | None = None
    ) -> None:
        self._project = project
        self._services = services
        self._sources = sources
        self._as_of = as_of

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

    def _documents(self, kind: str, ids: Sequence[str]) -> dict[str, Document]:
        source = self._sources.get(kind)
        found = source.read(self._services, self._project.scope, ids) if source is not None else ()
        return {each.id: each for each in found if self._as_of is None or each.at <= self._as_of}

    def _visible(self, records: Mapping[str, R]) -> dict[str, R]:
        now = self._project.now()
        return {name: one for name, one in records.items() if is_remembered(one, now) and self._was_known(one)}

    def _was_known(self, record: Turn | Memory) -> bool:
        as_of = self._as_of
        if as_of is None:
            return True
        rewritten = any(step.what == "rewritten" and step.at > as_of for step in record.history)
        return record.recorded_at <= as_of and not rewritten
