"""Lazily opened search, so that code that may never search does not load ranking."""

from collections.abc import Callable
from functools import cache

from almanac.kernel.caller import Scope
from almanac.search.questions.port import Answer, Search, SearchRequest


class LateSearch:
    """Search that is opened by its first call. `open_search` must return the same search each time."""

    def __init__(self, open_search: Callable[[], Search]) -> None:
        self._open = open_search

    def search(self, scope: Scope, request: SearchRequest) -> Answer:
        """See `Search`."""
        return self._open().search(scope, request)

    def once(self) -> Search:
        """See `Search`."""
        return LateSearch(cache(lambda: self._open().once()))
