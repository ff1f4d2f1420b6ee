"""Find the visible hits of one profile: hits whose contents the caller may see, now or at the time asked for."""

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

    `replaced_by` is the id of a later turn that takes this one back."""

    hit: Hit
    content: Content
    shared: bool = False
    replaced_by: str = ""


class MatchPage(Struct, frozen=True, kw_only=True):
    """Matches, best first. `more`: there are others. `all_hidden`: search had hits, but `read` left
    out all of them."""

    matches: Sequence[Match] = ()
    more: bool = False
    pending: int = 0
    notes: tuple[str, ...] = ()
    empty: Emptiness | None = None
    coverage: Coverage | None = None
    all_hidden: bool = False


def find(
    search: Search,
    scope: Scope,
    request: SearchRequest,
    read: ReadContents,
    *,
    drops_many: bool,
    covers_hidden: bool = False,
) -> MatchPage:
    """Return at most `request.limit` hits, only hits for which `read` returns a content.

    While too few remain, the search is repeated without the hits already seen, in at most 8 rounds. Set `drops_many`
    if `read` leaves out many hits. Each round then asks for as many hits as search allows. Set `covers_hidden` if
    memory still has the contents that `read` leaves out, such as facts that have ended. Coverage then counts their
    hits too."""
    limit = request.limit
    size = MAX_LIMIT if drops_many else min(MAX_LIMIT, limit + SPARE)
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
        if len(matches) >= limit or not answer.cut or len(answers) == ROUNDS:
            break
    return MatchPage(
        matches=matches[:limit],
        more=len(matches) > limit or answers[-1].cut,
        pending=max(each.pending for each in answers),
        notes=answers[0].notes,
        empty=answers[0].empty,
        coverage=answers[0].coverage
        if covers_hidden
        else _visible_coverage(search, scope, request, answers[0], dropped),
        all_hidden=any(each.hits for each in answers) and not matches,
    )


def _visible_coverage(
    search: Search, scope: Scope, request: SearchRequest, first: Answer, dropped: Collection[str]
) -> Coverage | None:
    """Return the coverage by visible hits alone. If one of the best hits was dropped, it takes a new search."""
    if first.coverage is None or not any(hit.id in dropped for hit in first.hits[:COVERING]):
        return first.coverage
    filters = replace(request.filters, except_ids=request.filters.except_ids | frozenset(dropped))
    return search.search(scope, replace(request, filters=filters, reasons=False)).coverage
