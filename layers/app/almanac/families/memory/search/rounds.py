"""Find the hits of one profile that the caller may see, leaving out those that are hidden by now or not yet visible."""

from collections.abc import Callable, Collection, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from almanac.families.memory.search.contents import Content
from almanac.kernel.caller import Scope
from almanac.search.coverage import Coverage
from almanac.search.questions.port import MAX_LIMIT, Answer, Emptiness, Hit, Search, SearchRequest

SPARE = 5
"""Hits requested beyond the limit, because some may have been forgotten or have lapsed meanwhile."""
ROUNDS = 8
COVERING = 5
"""Number of best hits by which coverage is judged."""

ReadContents = Callable[[Sequence[Hit]], Mapping[str, Content]]


class Match(Struct, frozen=True):
    """A hit and its content. `shared`: it comes from the memory that the tenant's projects share.

    `replaced_by` is the id of a later turn that takes this one back. `replaces`: this one takes back the hit before
    it."""

    hit: Hit
    content: Content
    shared: bool = False
    replaced_by: str = ""
    replaces: bool = False


class MatchPage(Struct, frozen=True, kw_only=True):
    """Matches, best first. `more`: there are others. `passed_over`: there were hits, but all of them were hidden."""

    matches: Sequence[Match] = ()
    more: bool = False
    pending: int = 0
    notes: tuple[str, ...] = ()
    empty: Emptiness | None = None
    coverage: Coverage | None = None
    passed_over: bool = False


def find(
    search: Search,
    scope: Scope,
    request: SearchRequest,
    read: ReadContents,
    *,
    passes_many: bool,
    covers_hidden: bool = False,
) -> MatchPage:
    """Return at most `request.limit` hits, those for which `read` returns a content.

    While too few remain, the search is repeated without the hits already seen, in at most 8 rounds. Set `passes_many`
    if `read` leaves out many hits; each round then asks for as many hits as search allows. Set `covers_hidden` if
    the contents left out are still known, such as facts that have ended; coverage then counts their hits too."""
    wanted = request.limit
    size = MAX_LIMIT if passes_many else min(MAX_LIMIT, wanted + SPARE)
    seen = request.filters.except_ids
    dropped: set[str] = set()
    matches: list[Match] = []
    answers: list[Answer] = []
    while True:
        filters = replace(request.filters, except_ids=seen)
        answer = search.search(scope, replace(request, limit=size, filters=filters))
        contents = read(answer.hits)
        matches += [Match(hit, contents[hit.id]) for hit in answer.hits if hit.id in contents]
        seen |= {hit.id for hit in answer.hits}
        dropped |= {hit.id for hit in answer.hits if hit.id not in contents}
        answers.append(answer)
        if len(matches) >= wanted or not answer.cut or len(answers) == ROUNDS:
            break
    return MatchPage(
        matches=matches[:wanted],
        more=len(matches) > wanted or answers[-1].cut,
        pending=max(each.pending for each in answers),
        notes=answers[0].notes,
        empty=answers[0].empty,
        coverage=answers[0].coverage if covers_hidden else _covered(search, scope, request, answers[0], dropped),
        passed_over=any(each.hits for each in answers) and not matches,
    )


def _covered(
    search: Search, scope: Scope, request: SearchRequest, first: Answer, dropped: Collection[str]
) -> Coverage | None:
    """Return the coverage by hits that the caller may see, as hidden hits cover nothing."""
    if first.coverage is None or not any(hit.id in dropped for hit in first.hits[:COVERING]):
        return first.coverage
    filters = replace(request.filters, except_ids=request.filters.except_ids | frozenset(dropped))
    return search.search(scope, replace(request, filters=filters, reasons=False)).coverage
