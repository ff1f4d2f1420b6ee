"""Port by which other families read facts without importing the family that stores them.

Composition provides the implementation. Instants are milliseconds since 1970, `None` for no end.
"""

from collections.abc import Mapping, Sequence
from typing import Literal, Protocol

from msgspec import Struct

from almanac.kernel.caller import Scope

FACT = "fact"
"""Kind of the search documents of facts."""


class When(Struct, frozen=True):
    """Selects facts that hold at some instant from `since` on and before `until`, as known at `known_at`."""

    since: int | None
    until: int | None
    known_at: int | None = None


class KnownFact(Struct, frozen=True, kw_only=True):
    """A stored fact.

    `text` states it in a sentence, without its time. It holds from `start` on and before `end`. `span` puts that in
    words, in the requested zone. `at` is the instant at which it was recorded.
    """

    id: str
    text: str
    span: str
    start: int
    end: int | None
    at: int
    actor: str
    tool: str | None = None
    redacted: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        return f"{self.text}, {self.span}"


class FactChange(Struct, frozen=True):
    """A change of a fact at the instant `at`.

    The fact was recorded, superseded by a newer one, ended, or restored, i.e. its end was removed or moved to a later
    instant.
    """

    what: Literal["recorded", "superseded", "ended", "restored"]
    at: int
    fact: KnownFact


class FactChanges(Struct, frozen=True):
    """Changes of facts, latest first. `more` is true if there are others."""

    changes: tuple[FactChange, ...] = ()
    more: bool = False


class ContradictingFacts(Struct, frozen=True):
    """Two facts that cannot both hold. `one` was recorded first, and `about` is the reason."""

    one: KnownFact
    other: KnownFact
    about: str


class KnownFacts(Protocol):
    def any(self, scope: Scope) -> bool:
        """Return whether the project has facts."""
        ...

    def facts_at(self, scope: Scope, ids: Sequence[str], when: When, zone: str | None) -> Mapping[str, KnownFact]:
        """Return the facts that hold at that time, by id, out of up to 100 ids."""
        ...

    def changes_since(self, scope: Scope, since: int, zone: str | None) -> FactChanges:
        """Return up to 50 changes of facts from `since` on."""
        ...

    def find_contradictions(
        self, scope: Scope, ids: Sequence[str], when: When, zone: str | None
    ) -> Sequence[ContradictingFacts]:
        """Return up to 5 pairs among up to 100 facts that contradict each other at that time."""
        ...
