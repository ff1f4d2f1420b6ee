"""Rows of get_code_context, each quoted as data. Instants are milliseconds since 1970."""

from msgspec import Struct

from almanac.families.code.context.targets import Target
from almanac.families.code.core.codec import Part
from almanac.families.code.core.contents import lines_of
from almanac.families.code.core.snippets import number_lines, own_lines
from almanac.families.memory.snapshot.budget import Candidate
from almanac.families.team.core.quoted_texts import TextQuoter
from almanac.families.team.core.records import ClaimRecord, Review
from almanac.search.port import Document


class ContextCode(Struct, frozen=True, omit_defaults=True):
    """A definition without those inside it, or the code between. `cut`: it has more lines. `notes`: parts that look
    like instructions or were removed."""

    start_line: int
    end_line: int
    kind: str
    snippet: str
    symbol: str | None = None
    cut: bool = False
    notes: tuple[str, ...] = ()


class ContextClaim(Struct, frozen=True, omit_defaults=True):
    key: str
    holder: str
    actor: str
    expires_at: int
    notes: tuple[str, ...] = ()


class ContextReview(Struct, frozen=True, omit_defaults=True):
    id: str
    subject: str
    requester: str
    requested_at: int
    reviewers: tuple[str, ...] = ()
    claim_key: str | None = None
    notes: tuple[str, ...] = ()


class ContextDocument(Struct, frozen=True, omit_defaults=True):
    """`at` of an event is its start. `cut` and `notes` as in code."""

    id: str
    title: str
    text: str
    at: int
    cut: bool = False
    notes: tuple[str, ...] = ()


def code_candidates(target: Target) -> list[Candidate]:
    if target.content is None:
        return []
    lines = lines_of(target.content.text)
    return [
        _code_candidate(part, number_lines(lines, own_lines(target.parts, place)))
        for place, part in enumerate(target.parts)
    ]


def _code_candidate(part: Part, snippet: str) -> Candidate:
    def row(text: str, cut: bool) -> ContextCode:
        quoting = TextQuoter()
        shown = quoting.text("snippet", text)
        symbol = quoting.text("symbol", part.symbol) or None
        return ContextCode(part.start, part.end, part.kind, shown, symbol, cut, quoting.notes)

    return Candidate(snippet, row)


def claim_candidate(claim: ClaimRecord) -> Candidate:
    """Return the candidate for a claim, which is shown whole or not at all."""

    def row(_text: str, _cut: bool) -> ContextClaim:
        quoting = TextQuoter()
        key, holder = quoting.text("key", claim.key), quoting.text("holder", claim.holder or "")
        return ContextClaim(key, holder, claim.actor, claim.lapses_at or 0, quoting.notes)

    return Candidate("", row)


def review_candidate(review: Review) -> Candidate:
    """Return the candidate for a review, which is shown whole or not at all."""

    def row(_text: str, _cut: bool) -> ContextReview:
        quoting = TextQuoter()
        return ContextReview(
            review.id,
            quoting.text("subject", review.subject),
            review.requester,
            review.requested_at,
            tuple(quoting.json("reviewers", review.reviewers)),
            quoting.optional_text("claim_key", review.claim_key),
            quoting.notes,
        )

    return Candidate("", row)


def document_candidate(document: Document) -> Candidate:
    def row(text: str, cut: bool) -> ContextDocument:
        quoting = TextQuoter()
        title = quoting.text("title", document.title[:200])
        return ContextDocument(
            document.known_as or document.id, title, quoting.text("text", text), document.at, cut, quoting.notes
        )

    return Candidate(document.text, row)
