"""A search index whose writes are visible when they return."""

import itertools
from collections.abc import Callable, Sequence

from almanac.kernel.caller import Scope
from almanac.search.frame import Frame
from almanac.search.port import (
    LEGS,
    Context,
    DocumentState,
    Entry,
    Filters,
    Leg,
    Profile,
    Question,
    Removal,
    SearchIndex,
)
from tests.contract.search.index_samples import question as of_words

_tenants = itertools.count(1)


def next_scope() -> Scope:
    """Return the scope of a tenant that no test has used yet."""
    return Scope(f"tenant-{next(_tenants)}", "main")


class SettledIndex:
    """Wraps an index. `settle` returns as soon as all writes are visible."""

    def __init__(self, index: SearchIndex, settle: Callable[[], None]) -> None:
        self.index = index
        self.settle = settle

    def write(self, scope: Scope, *entries: Entry) -> None:
        for first in range(0, len(entries), 500):
            self.index.index(scope, entries[first : first + 500])
        self.settle()

    def remove(self, scope: Scope, *ids: str, version: int, profile: Profile = "talk") -> None:
        self.index.remove(scope, [Removal(id=each, profile=profile, version=version) for each in ids])
        self.settle()

    def enrich(self, scope: Scope, *contexts: Context) -> None:
        self.index.enrich(scope, contexts)
        self.settle()

    def frame(
        self,
        scope: Scope,
        asked: str | Question,
        filters: Filters | None = None,
        *,
        profile: Profile = "talk",
        legs: Sequence[Leg] = LEGS,
        size: int = 100,
    ) -> Frame:
        question = of_words(asked) if isinstance(asked, str) else asked
        return self.index.candidates(scope, profile, question, filters or Filters(), legs, size)

    def search_ids(
        self,
        scope: Scope,
        asked: str | Question,
        filters: Filters | None = None,
        *,
        profile: Profile = "talk",
        legs: Sequence[Leg] = LEGS,
        size: int = 100,
    ) -> set[str]:
        """The ids that may be found, without neighbours."""
        frame = self.frame(scope, asked, filters, profile=profile, legs=legs, size=size)
        return {each for each, candidate in zip(frame.ids, frame.candidates.tolist(), strict=True) if candidate}

    def state_by_id(self, scope: Scope, profile: Profile = "talk") -> dict[str, DocumentState]:
        return {each.id: each for each in self.index.list_states(scope, profile)}
