"""Documents, entries and frames for tests."""

from collections.abc import Sequence
from typing import Any

from almanac.kernel.caller import Scope
from almanac.search.analysis.derivation import Deriver, text_of, title_of
from almanac.search.analysis.parsed_question import ParsedQuestion
from almanac.search.engine.maintenance import VerificationResult
from almanac.search.frame import Frame
from almanac.search.port import LEGS, Document, Filters, Leg, Profile
from almanac.search.ranking.rank import RankedHit, judge, rank_hits
from tests.doubles.embedders import StateEmbedder, WordEmbedder
from tests.doubles.search_index import MemoryIndex

SCOPE = Scope("acme", "main")


def turns(*texts: str, session: str = "s", **fields: Any) -> list[Document]:
    """Turns of a session; "Ann: text" is said by Ann."""
    return [_turn(text, position, session, fields) for position, text in enumerate(texts)]


def note(name: str, text: str, **fields: Any) -> Document:
    return Document(id=name, kind="note", profile=fields.pop("profile", "documents"), version=1, text=text, **fields)


def _turn(text: str, position: int, session: str, fields: dict[str, Any]) -> Document:
    speaker, colon, said = text.partition(": ")
    given: dict[str, Any] = {"speaker": speaker if colon else "", "text": said if colon else text} | fields
    name = f"{session}{position}"
    return Document(id=name, kind="turn", profile="talk", version=1, session=session, position=position, **given)


def is_sound(found: VerificationResult) -> bool:
    """Return whether a comparison of index and store found no difference."""
    return found == VerificationResult(documents=found.documents, fresh=found.fresh)


def rank_frame(asked: ParsedQuestion, frame: Frame, profile: Profile, *, limit: int, **options: Any) -> list[RankedHit]:
    """The best `limit` candidates of a frame."""
    return rank_hits(asked, frame, judge(asked, frame, profile, limit), profile, limit=limit, **options)


class SampleIndex:
    """Documents in an index. `enriched` ones have context vectors; `plain` ones were written without an embedder."""

    def __init__(
        self,
        documents: Sequence[Document],
        *,
        meaning: bool = True,
        enriched: Sequence[str] = (),
        plain: Sequence[str] = (),
    ) -> None:
        self.documents = documents
        self._meaning, self._enriched, self._plain = meaning, enriched, plain

    def parse_question(self, text: str, profile: Profile = "talk") -> ParsedQuestion:
        static = self._static(text)
        return Deriver(static).parse_question(
            text, profile, StateEmbedder(static) if static and self._enriched else None
        )

    def frame(
        self,
        text: str,
        asked: ParsedQuestion,
        filters: Filters | None = None,
        legs: Sequence[Leg] = LEGS,
        size: int = 100,
    ) -> Frame:
        static = self._static(text)
        index = MemoryIndex()
        for each in self.documents:
            index.index(SCOPE, [Deriver(None if each.id in self._plain else static).entry(each)])
        if static and self._enriched:
            chosen = [each for each in self.documents if each.id in self._enriched]
            index.enrich(SCOPE, Deriver(static).context(chosen, StateEmbedder(static)))
        return index.candidates(SCOPE, asked.profile, asked.question, filters or Filters(), legs, size)

    def hits(self, text: str, profile: Profile = "talk", *, limit: int = 10, **options: Any) -> list[RankedHit]:
        parsed = self.parse_question(text, profile)
        return rank_frame(parsed, self.frame(text, parsed), profile, limit=limit, **options)

    def search_ids(self, text: str, profile: Profile = "talk", **options: Any) -> list[str]:
        return [hit.id for hit in self.hits(text, profile, **options)]

    def _static(self, question: str) -> WordEmbedder | None:
        read = [field(each).text_to_embed for each in self.documents for field in (title_of, text_of)]
        return WordEmbedder([*read, question]) if self._meaning else None
