"""Bounded reads of a project's knowledge about a file or symbol, latest first."""

import re
from collections.abc import Sequence
from functools import lru_cache

from msgspec import Struct

from almanac.content.entities import Kind
from almanac.families.code.context.targets import Target
from almanac.families.code.core.code import CodeProject
from almanac.families.code.search.activity import spellings_of
from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import MEMORIES, TURNS, Memory, Turn, is_remembered
from almanac.families.memory.entities.lookup import EntityLookup
from almanac.families.memory.entities.query_entities import Forms
from almanac.families.memory.entities.records import NORMAL_BYTES, within_bytes
from almanac.families.memory.memories.salience import salience_at
from almanac.families.team.claims.claims import Claims
from almanac.families.team.claims.key_syntax import file_key
from almanac.families.team.core.project import project_of as team_of
from almanac.families.team.core.records import ClaimRecord, Review
from almanac.families.team.messages.reviews import ReviewFilter, Reviews
from almanac.kernel.caller import Scope
from almanac.kernel.errors import InvalidInput, LimitExceeded
from almanac.platform.services import Services
from almanac.search.engine.parts import IndexParts
from almanac.search.port import Document, Filters
from almanac.search.questions.port import MAX_LIMIT, Search, SearchRequest

MOST_TURNS = 20
MOST_CLAIMS = 20
MOST_REVIEWS = 10
MOST_DOCUMENTS = 10
_ENTITIES = 20
_REVIEWS_READ = 200
_HITS = 30
_PATHS, _SPELLINGS, _PATHS_SOUGHT = 12, 6, 3
_CLAIM_PATHS = 10
_JOINTS = (".", "::", "#")


class TargetNames(Struct, frozen=True):
    """Case-folded names under which texts may mention a target: `file` for its file, `symbol` for the symbol. `whole`
    has the paths to search for."""

    file: tuple[str, ...]
    symbol: tuple[str, ...]
    whole: tuple[str, ...]

    def is_in(self, text: str) -> bool:
        """Return whether a text mentions a name as a separate word. A path may also begin at a machine's root."""
        folded = text.casefold().replace("\\", "/")
        return any(pattern.search(folded) for pattern in _patterns(self))


@lru_cache(8)
def _patterns(names: TargetNames) -> tuple[re.Pattern[str], ...]:
    files, every = ("|".join(map(re.escape, some)) for some in (names.file, (*names.file, *names.symbol)))
    patterns = [rf"(?<![\w./-])(?:{every})(?![\w/-])"]
    if files:
        root = r"(?:(?:[a-z]:|~)?/(?:[^\s/\"'`]+/){0,40}|\./)"
        patterns.append(rf"(?:^|[\s\"'`(=:\[])/{{0,2}}{root}(?:{files})(?![\w/-])")
    return tuple(map(re.compile, patterns))


def names_of(target: Target) -> TargetNames:
    """Return the names under which texts may mention a target."""
    parts = target.symbol.casefold().split(".") if target.symbol else []
    names = [joint.join(parts) for joint in _JOINTS if parts]
    # A short name alone is mostly an ordinary word, so it would match texts about other things.
    names += parts[-1:] if parts and len(parts[-1]) > 3 else []
    symbols = tuple(dict.fromkeys(within_bytes(each, NORMAL_BYTES) for each in names))
    whole = tuple(path.casefold() for path in target.paths[:_PATHS])
    files = dict.fromkeys(
        form for path in whole for form in (spellings_of(path)[:1] + spellings_of(path)[-_SPELLINGS:])
    )
    return TargetNames(file=tuple(files), symbol=symbols, whole=whole[:_PATHS_SOUGHT])


def turns_about(project: CodeProject, search: Search, services: Services, names: TargetNames) -> list[Turn]:
    """Return the last turns that mention the target as an entity, or in words that search finds."""
    memory = project.memory
    lookup, ids = EntityLookup(memory), dict[str, int]()
    kinds: tuple[tuple[Kind, tuple[str, ...]], ...] = (("symbol", names.symbol), ("file", names.file))
    for kind, forms in kinds:
        if forms:
            found = lookup.find(Forms(forms, forms[0]), (kind,), _ENTITIES).entities
            exact = (each.record for each in found if each.match == "exact")
            ids |= {mention.turn: mention.at for record in exact for mention in record.latest}
    ids |= {each.id: each.at for each in documents_about(project.scope, search, services, ("turn",), names)["turn"]}
    latest = sorted(ids, key=lambda each: (ids[each], each), reverse=True)[: 2 * MOST_TURNS]
    turns, now = memory.rows(TURNS).by_id(latest), memory.now()
    return [turns[each] for each in latest if each in turns and is_remembered(turns[each], now)][:MOST_TURNS]


def memories_about(
    memory: MemoryProject, search: Search, services: Services, kinds: Sequence[str], names: TargetNames
) -> list[tuple[Memory, bool]]:
    """Return memories of these kinds, all of one profile, that mention the target, and whether the tenant shares them.
    The highest salience comes first, then the latest."""
    found: dict[str, tuple[Memory, bool]] = {}
    for searched_project in memory.searched_projects:
        documents = documents_about(searched_project.scope, search, services, kinds, names)
        for each in (
            searched_project.rows(MEMORIES).by_id([each.id for some in documents.values() for each in some]).values()
        ):
            found[each.id] = (each, searched_project is not memory)
    now = memory.now()
    return sorted(found.values(), key=lambda each: (-salience_at(each[0], now), -each[0].at, each[0].id))


def claims_on(project: CodeProject, paths: Sequence[str]) -> tuple[list[ClaimRecord], bool]:
    """Return the claims that overlap with one of the file's paths. The flag is False if some are too hard to
    compare."""
    claims = Claims(team_of(project))
    found: dict[str, ClaimRecord] = {}
    were_compared = True
    for path in paths[:_CLAIM_PATHS]:
        try:
            held = claims.list_held(overlapping=f"file:{path}", limit=MOST_CLAIMS).claims
            found |= {each.key: each for each in held}
        except (InvalidInput, LimitExceeded):
            were_compared = False
    return list(found.values())[:MOST_CLAIMS], were_compared


def reviews_of(project: CodeProject, paths: Sequence[str], names: TargetNames) -> list[Review]:
    """Return open reviews for a claim of the file, or with its name in the subject, newest first."""
    team = team_of(project)
    keys = Claims(team).keys()
    files = [file_key(path, keys.rules) for path in paths[:_CLAIM_PATHS]]

    def touches(review: Review) -> bool:
        try:
            claim_key = keys.parse(review.claim_key) if review.claim_key is not None else None
            belongs = claim_key is not None and any(keys.overlap(claim_key, file) for file in files)
        except (InvalidInput, LimitExceeded):
            belongs = False
        return belongs or names.is_in(review.subject)

    found, _ = Reviews(team).list_pending(ReviewFilter(), since=None, limit=_REVIEWS_READ)
    return [each for each in reversed(found) if touches(each)][:MOST_REVIEWS]


def documents_about(
    scope: Scope, search: Search, services: Services, kinds: Sequence[str], names: TargetNames
) -> dict[str, Sequence[Document]]:
    """Return documents that mention the target, by kind. All `kinds` must have one profile, because they are ranked
    together."""
    known = services.get(IndexParts).sources
    sources = {kind: known[kind] for kind in kinds if kind in known}
    found: dict[str, dict[str, Document]] = {kind: {} for kind in kinds}
    for text in (*names.symbol[:1], *names.whole) if sources else ():
        profile = next(iter(sources.values())).profile
        limit = min(MAX_LIMIT, _HITS * len(sources))
        filters = Filters(kinds=tuple(sources))
        request = SearchRequest(text=text, profile=profile, filters=filters, limit=limit, covers=False, reasons=False)
        hits = search.search(scope, request).hits
        for kind, source in sources.items():
            ids = [hit.id for hit in hits if hit.kind == kind]
            read = {each.id: each for each in source.read(services, scope, ids)} if ids else {}
            found[kind] |= {id_: read[id_] for id_ in ids if id_ in read and id_ not in found[kind]}
    about = {kind: [each for each in some.values() if _names(names, each)] for kind, some in found.items()}
    return {kind: some[:MOST_DOCUMENTS] for kind, some in about.items()}


def _names(names: TargetNames, document: Document) -> bool:
    return names.is_in("\n".join((document.title, document.text, *document.tags)))
