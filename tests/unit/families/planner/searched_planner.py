"""A planner whose notes, entries and cards are in an index, in memory by default."""

from pathlib import Path
from typing import Any

from almanac.composition.search import index_parts
from almanac.search.port import Filters, SearchIndex
from almanac.search.questions.port import Search, SearchRequest
from tests.project_app import ProjectApp


class SearchedPlanner(ProjectApp):
    """The planner's tools over a search index, which `follow` brings up to date."""

    def __init__(self, folder: Path, *, index: SearchIndex | None = None, **more: Any) -> None:
        super().__init__(folder, families=("calendar", "planner"), **more)
        if index is not None:
            self.open_over(index)

    def open_over(self, index: SearchIndex | None) -> None:
        """Open the tools over this index, or over none, as a process that starts does."""
        self.open_again(indexing=index_parts(index, None))

    def similar_notes(self, q: str, **more: Any) -> list[str]:
        """Return titles of notes, the most similar first."""
        return [note["title"] for note in self.do("notes_search", q=q, mode="meaning", **more)["notes"]]

    def similar_entries(self, q: str, **more: Any) -> list[str]:
        """Return titles of journal entries, the most similar first."""
        return [entry["title"] for entry in self.do("journal_list", q=q, mode="meaning", **more)["entries"]]

    def search_ids(self, q: str, kind: str) -> list[str]:
        """Return ids of the hits of one kind, the best first."""
        request = SearchRequest(text=q, profile="documents", filters=Filters(kinds=(kind,)))
        return [hit.id for hit in self.services.get(Search).search(self.caller.scope, request).hits]
