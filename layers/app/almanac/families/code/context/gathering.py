"""What a project knows about a file or a symbol, read in bounded pages: the latest first."""

import re
from collections.abc import Sequence

from msgspec import Struct

from almanac.content.entities import Kind
from almanac.families.code.context.targets import Target
from almanac.families.code.core.beside import memory_of, team_of
from almanac.families.code.core.code import CodeProject
from almanac.families.code.search.activity import spellings_of
from almanac.families.memory.core.records import TURNS, Turn, is_remembered
from almanac.families.memory.entities.lookup import EntityLookup
from almanac.families.memory.entities.matching import Forms
from almanac.families.memory.entities.records import NORMAL_BYTES, within_bytes
from almanac.families.team.claims.claims import Claims
from almanac.families.team.claims.key_syntax import file_key
from almanac.families.team.core.records import ClaimRecord, Review
from almanac.families.team.messages.reviews import ReviewFilter, Reviews
from almanac.kernel.errors import InvalidInput, LimitExceeded
from almanac.platform.search.asking.port import Search, SearchRequest
from almanac.platform.search.engine.parts import Indexing
from almanac.platform.search.port import Document, Filters
from almanac.platform.services import Services

MOST_TURNS = 20
MOST_CLAIMS = 20
MOST_REVIEWS = 10
MOST_DOCUMENTS = 10
_ENTITIES = 20
_REVIEWS_READ = 200
_HITS = 30
_JOINTS = (".", "::", "#")


class Named(Struct, frozen=True):
    """How a target may be named in texts of others, folded: `file` where they speak of its file, `symbol` of the
    symbol."""

    file: tuple[str, ...]
    symbol: tuple[str, ...]

    def is_in(self, text: str) -> bool:
        """Whether a text names it, as a word of its own."""
        said = text.casefold()
        names = (re.escape(name) for name in (*self.file, *self.symbol))
        return re.search(rf"(?<![\w./-])(?:{'|'.join(names)})(?![\w/-])", said) is not None


def named(target: Target) -> Named:
    parts = target.symbol.casefold().split(".") if target.symbol else []
    names = [joint.join(parts) for joint in _JOINTS if parts]
    # A short name alone is mostly a word: it would be found wherever that is said.
    names += parts[-1:] if parts and len(parts[-1]) > 3 else []
    symbols = tuple(dict.fromkeys(within_bytes(each, NORMAL_BYTES) for each in names))
    return Named(file=spellings_of(target.file.path), symbol=symbols)


def turns_about(project: CodeProject, names: Named) -> list[Turn]:
    """The last ones that name it."""
    memory = memory_of(project)
    lookup, ids = EntityLookup(memory), dict[str, int]()
    kinds: tuple[tuple[Kind, tuple[str, ...]], ...] = (("symbol", names.symbol), ("file", names.file))
    for kind, forms in kinds:
        if forms:
            found = lookup.find(Forms(forms, forms[0]), (kind,), _ENTITIES).entities
            exact = (each.record for each in found if each.match == "exact")
            ids |= {mention.turn: mention.at for record in exact for mention in record.latest}
    latest = sorted(ids, key=lambda each: (ids[each], each), reverse=True)[: 2 * MOST_TURNS]
    turns, now = memory.rows(TURNS).by_id(latest), memory.now()
    return [turns[each] for each in latest if each in turns and is_remembered(turns[each], now)][:MOST_TURNS]


def claims_on(project: CodeProject, path: str) -> tuple[list[ClaimRecord], bool]:
    """Those that overlap with the file; False where they are too hard to compare with it."""
    try:
        return Claims(team_of(project)).list_held(overlapping=f"file:{path}", limit=MOST_CLAIMS).claims, True
    except (InvalidInput, LimitExceeded):
        return [], False


def reviews_of(project: CodeProject, path: str, names: Named) -> list[Review]:
    """Open ones that belong to a claim of the file, or whose subject names it, the newest first."""
    team = team_of(project)
    keys = Claims(team).keys()
    key = file_key(path, keys.rules)

    def touches(review: Review) -> bool:
        try:
            belongs = review.claim_key is not None and keys.overlap(keys.given(review.claim_key), key)
        except (InvalidInput, LimitExceeded):
            belongs = False
        return belongs or names.is_in(review.subject)

    found, _ = Reviews(team).pending(ReviewFilter(), since=None, limit=_REVIEWS_READ)
    return [each for each in reversed(found) if touches(each)][:MOST_REVIEWS]


def documents_about(
    project: CodeProject, search: Search, services: Services, kind: str, names: Named
) -> Sequence[Document]:
    """Notes or facts that name it, as search finds them."""
    source = services.get(Indexing).sources.get(kind)
    if source is None:
        return []
    found: dict[str, Document] = {}
    for text in (names.symbol[:1], names.file[:1]):
        if text:
            request = SearchRequest(text=text[0], profile=source.profile, filters=Filters(kinds=(kind,)), limit=_HITS)
            ids = [hit.id for hit in search.search(project.scope, request).hits]
            read = {each.id: each for each in source.read(services, project.scope, ids)}
            found |= {one: read[one] for one in ids if one in read and one not in found}
    about = (each for each in found.values() if names.is_in(f"{each.title}\n{each.text}"))
    return list(about)[:MOST_DOCUMENTS]
