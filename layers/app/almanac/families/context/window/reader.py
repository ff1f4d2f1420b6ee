"""Reads of the candidates for a context window: working memories, the newest of each layer, and similar ones."""

from collections.abc import Iterable, Sequence
from posixpath import basename

from msgspec import Struct

from almanac.families.context.core.context import Context, layer_of
from almanac.families.context.core.types import KEPT_KINDS, type_of
from almanac.families.context.recall.matches import Match, ScopeMatches, gather
from almanac.families.context.storage.store_memory import working_memories
from almanac.families.context.window.patterns import MOST_PATTERNS, PATTERN, matching_patterns
from almanac.families.context.window.window_request import WindowRequest
from almanac.families.memory.core.documents import TYPE_FIELD
from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import MEMORIES, Memory, is_remembered
from almanac.search.port import Filters
from almanac.search.questions.port import Search, SearchRequest

MOST = 10
_MOST_WORKING = 50
"""The number of working memories that are read, so that those without room are counted."""
_NEWEST = {"pinned": 100, "semantic": 30}
"""The number of memories that are read of each kind and layer. Pinned ones are few and stay relevant however old."""
_OLDER = "Older memories were searched, not listed: context_list has them all."
_HITS = 25
_DOING = 2
"""Number of working memories that describe the current work."""
_ASKED_CHARACTERS = 100
"""Characters of each text in the search query. A search takes longer the more words it has."""


class Readings(Struct, frozen=True, kw_only=True):
    """The candidates. `newest` are of layers 2 and 3 with similarity 0, the latest first. `hits` are the results of a
    search for the current work, and `patterns` the matching code patterns among them, plus older ones if these are few.
    `doing` are texts of the current work: the command, and the latest working memories. `pending` and `notes` come from
    search."""

    working: Sequence[Memory]
    newest: Sequence[Match]
    hits: Sequence[Match]
    patterns: Sequence[Match]
    doing: Sequence[str]
    pending: int
    notes: tuple[str, ...]


def read_all(context: Context, search: Search, request: WindowRequest) -> Readings:
    current = working_memories(context, request.session, _MOST_WORKING)
    doing = [request.command or "", *(memory.content for memory in current[:_DOING])]
    text = _text_of(request, doing)
    search = search.once()
    latest = {project: _newest(project) for project in context.projects}
    newest = [match for matches, _ in latest.values() for match in matches]
    # The model finds more for a file and a command alone. With notes it finds less and takes half of the call.
    searched = [_search(search, project, text, is_read=not current) for project in latest if text]
    patterns = matching_patterns((*newest, *_hits(searched)), request)
    if len(patterns) < MOST_PATTERNS:
        # Old patterns are found by their content.
        with_more = [project for project, (_, has_more) in latest.items() if has_more]
        searched += [_search(search, project, _pattern_text(request), type=PATTERN) for project in with_more]
        patterns = matching_patterns((*newest, *_hits(searched)), request)
    hits = _hits(searched)
    older = [_OLDER] if any(has_more for _, has_more in latest.values()) else []
    return Readings(
        working=current,
        newest=sorted(newest, key=_latest_first),
        hits=hits,
        patterns=patterns,
        doing=[each for each in doing if each],
        pending=max((each.pending for each in searched), default=0),
        notes=tuple(dict.fromkeys([*(note for each in searched for note in each.notes), *older])),
    )


def _hits(searched: Iterable[ScopeMatches]) -> list[Match]:
    return [match for each in searched for match in each.alike]


def _text_of(request: WindowRequest, doing: Iterable[str]) -> str:
    """Return the current work as one query."""
    file = request.file[-_ASKED_CHARACTERS:] if request.file else ""
    return "\n".join(each for each in (file, *(text[:_ASKED_CHARACTERS] for text in doing)) if each)


def _pattern_text(request: WindowRequest) -> str:
    said = (request.language, request.file and basename(request.file)[:_ASKED_CHARACTERS])
    return " ".join(each for each in said if each) or "code pattern"


def _newest(project: MemoryProject) -> tuple[list[Match], bool]:
    """Return the latest remembered memories, and whether there are others."""
    now, found, has_more = project.now(), list[Match](), False
    for kind in KEPT_KINDS:
        page = project.rows(MEMORIES).query(kind, index="gsi1", reverse=True, limit=_NEWEST[kind])
        found += [
            Match(memory, 0.0, layer_of(project, memory), project)
            for memory in page.records
            if is_remembered(memory, now)
        ]
        has_more = has_more or page.cursor is not None
    return found, has_more


def _search(
    search: Search, project: MemoryProject, text: str, *, type: str | None = None, is_read: bool = False
) -> ScopeMatches:
    fields = {TYPE_FIELD: type} if type is not None else {}
    filters = Filters(kinds=KEPT_KINDS, fields=fields)
    request = SearchRequest(
        text=text, profile="talk", filters=filters, limit=_HITS, is_read=is_read, covers=False, reasons=False
    )
    return gather(search, project, request, 0.0, _HITS - 1, lambda memory: type is None or type_of(memory) == type)


def _latest_first(match: Match) -> tuple[int, str]:
    return -match.memory.at, match.memory.id
