"""A planner whose notes, entries and cards are in an index, in memory by default, which follows when it is told to."""

from pathlib import Path
from typing import Any

from almanac.composition.search import index_parts
from almanac.composition.services import services_for
from almanac.families.planner.family import family as planner_family
from almanac.platform.bus.delivery import Delivery
from almanac.platform.services import Services
from almanac.search.engine.index_reaction import FOLLOW
from almanac.search.engine.maintenance import Upkeep, VerificationResult
from almanac.search.engine.parts import IndexParts
from almanac.search.port import Filters, SearchIndex
from almanac.search.questions.port import Search, SearchRequest
from tests.doubles.search_index import MemoryIndex
from tests.project_app import ProjectApp


class SearchedPlanner(ProjectApp):
    def __init__(self, folder: Path, *, index: SearchIndex | None = None, **more: Any) -> None:
        super().__init__(folder, **more)
        self._followed = 0
        self.open(index or MemoryIndex())

    def open(self, index: SearchIndex | None) -> None:
        """As a process that starts opens it, over this index."""
        self.index = index
        indexing = index_parts(index, None)
        self.services: Services = services_for(self.store, self.clock, open_indexing=lambda: indexing)
        self.families = (self.families[0], planner_family.open(self.services))

    def complete(self) -> None:
        """Make the index again from the store."""
        self._upkeep.rebuild([self.caller.scope], lambda _: None)

    def follow(self) -> None:
        delivery = Delivery(self.store, self.services, self.clock, report=lambda _, error: self.defects.append(error))
        for sequence, message in self._messages(self._followed):
            if FOLLOW.wants(message):
                assert delivery.deliver(message, FOLLOW, tried=True) is None, self.defects
            self._followed = sequence

    def alike(self, q: str, **more: Any) -> list[str]:
        return [note["title"] for note in self.do("notes_search", q=q, mode="meaning", **more)["notes"]]

    def entries(self, q: str, **more: Any) -> list[str]:
        return [entry["title"] for entry in self.do("journal_list", q=q, mode="meaning", **more)["entries"]]

    def found(self, q: str, kind: str) -> list[str]:
        """Ids of what search finds, the best first."""
        request = SearchRequest(text=q, profile="documents", filters=Filters(kinds=(kind,)))
        return [hit.id for hit in self.services.get(Search).search(self.caller.scope, request).hits]

    def verify(self) -> VerificationResult:
        return self._upkeep.verify(self.caller.scope, lambda _: None)

    @property
    def _upkeep(self) -> Upkeep:
        assert self.index is not None
        return Upkeep(self.index, self.services.get(IndexParts), self.services)
