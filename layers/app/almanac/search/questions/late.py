"""A search that is opened when it is first asked: whoever only might search does not pay for what ranking needs."""

from collections.abc import Callable
from functools import cache

from almanac.kernel.caller import Scope
from almanac.search.questions.port import Answer, Search, SearchRequest


class LateSearch:
    """`open_search` answers the same search each time."""

    def __init__(self, open_search: Callable[[], Search]) -> None:
        self._open = open_search

    def search(self, scope: Scope, request: SearchRequest) -> Answer:
        """See `Search`."""
        return self._open().search(scope, request)

    def once(self) -> Search:
        """See `Search`."""
        return LateSearch(cache(lambda: self._open().once()))
