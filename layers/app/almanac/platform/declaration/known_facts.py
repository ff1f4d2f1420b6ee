"""Port by which other families read facts without knowing the family that stores them; composition fills it in.

Instants are milliseconds since 1970, `None` for no end.
"""

from collections.abc import Mapping, Sequence
from typing import Literal, Protocol

from msgspec import Struct

from almanac.kernel.caller import Scope

FACT = "fact"
"""The kind of their documents, of profile documents."""


class When(Struct, frozen=True):
    """Facts that hold at some instant from `since` on and before `until`, as it was known by `known_at`."""

    since: int | None
    until: int | None
    known_at: int | None = None


class KnownFact(Struct, frozen=True, kw_only=True):
    """`text` says it in a sentence without when it holds, from `start` on and before `end`. `span` says that in words,
    in the zone asked for. `at` is when it was recorded."""

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
    def told(self) -> str:
        return f"{self.text}, {self.span}"


class FactChange(Struct, frozen=True):
    """A change of a fact at `at`: it was recorded, superseded by a newer one, or ended; or its end was taken back, or
    moved to a later instant."""

    what: Literal["recorded", "superseded", "ended", "restored"]
    at: int
    fact: KnownFact


class FactChanges(Struct, frozen=True):
    """The latest first. `more`: there are others."""

    changes: tuple[FactChange, ...] = ()
    more: bool = False


class ContradictingFacts(Struct, frozen=True):
    """Two facts that cannot both hold, the one recorded earlier first, and why."""

    one: KnownFact
    other: KnownFact
    about: str


class KnownFacts(Protocol):
    def any(self, scope: Scope) -> bool:
        """Return whether the project has facts."""
        ...

    def holding(self, scope: Scope, ids: Sequence[str], when: When, zone: str | None) -> Mapping[str, KnownFact]:
        """Return those of up to 100 facts that hold at that instant, by id."""
        ...

    def changed(self, scope: Scope, since: int, zone: str | None) -> FactChanges:
        """Return up to 50 changes of facts from `since` on."""
        ...

    def disagreeing(
        self, scope: Scope, ids: Sequence[str], when: When, zone: str | None
    ) -> Sequence[ContradictingFacts]:
        """Pairs among up to 100 facts that cannot both hold, though both do so then: up to 5."""
        ...
