"""One search of memory: which lists it asks for, and what becomes of them."""

from collections.abc import Mapping, Sequence
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import Memory
from almanac.families.memory.search.contents import Contents
from almanac.families.memory.search.emptiness import NO_SUMMARIES, has_summaries, why_empty
from almanac.families.memory.search.kinds import SUMMARIES, Included, Mode, included_sources, kinds_of
from almanac.families.memory.search.narrowing import Narrowing, filters_of
from almanac.families.memory.search.ranking import in_order, merged, with_summaries
from almanac.families.memory.search.results import Hits
from almanac.families.memory.search.rounds import Found, Match, find
from almanac.families.memory.search.showing import SalienceOf, Showing
from almanac.families.memory.search.time_travel import known_by
from almanac.platform.search.analysis.dates import NamedDate
from almanac.platform.search.asking.port import Search, SearchRequest
from almanac.platform.search.engine.parts import Indexing
from almanac.platform.search.port import Filters, Fusion, Profile
from almanac.platform.search.source import Source
from almanac.platform.services import Services


class Wanted(Struct, frozen=True, kw_only=True):
    """What is asked for: `k` hits alike `text` of what `mode` and `include` name, narrowed. `dates` are days that the
    text names from today."""

    text: str
    k: int
    mode: Mode
    narrowing: Narrowing
    include: Sequence[Included] = ()
    around: int = 0
    threshold: float | None = None
    fusion: Fusion = "sum"
    explain: bool = False
    dates: tuple[NamedDate, ...] = ()


class _Asked(Struct, frozen=True, kw_only=True):
    """`summaries` and `others` are the kinds of documents that are searched beside talk, `code` those of code."""

    talk: bool
    summaries: tuple[str, ...]
    others: tuple[str, ...]
    code: tuple[str, ...]


class MemorySearch:
    """Of one project, for one call. `sources` are those of the installation, by kind."""

    def __init__(
        self,
        project: MemoryProject,
        search: Search,
        services: Services,
        sources: Mapping[str, Source],
        salience_of: SalienceOf,
    ) -> None:
        self._project = project
        self._search = search
        self._services = services
        self._sources = sources
        self._salience_of = salience_of

    def hits(self, wanted: Wanted) -> Hits:
        """Raises InvalidInput for filters that nothing can be found by."""
        filters = filters_of(wanted.narrowing)
        sources, missing = included_sources(wanted.include, self._sources)
        contents = Contents(self._project, self._services, self._sources, wanted.narrowing.as_of)
        asked = self._asked(wanted, filters, sources)
        found = self._found(wanted, filters, asked, contents)
        matches, cut = _joined(wanted, found)
        answered = [each for each in found if each is not None]
        none = "" if matches else self._why_empty(wanted, sources, answered)
        notes = [f"{name}: this installation has none to search." for name in missing] if wanted.include else []
        notes += [note for each in answered for note in each.notes]
        return Hits(
            hits=Showing(contents, self._salience_of).hits(matches),
            truncated=cut,
            pending=max((each.pending for each in answered), default=0),
            coverage=answered[0].coverage if answered else None,
            empty_because=none or None,
            notes=tuple(dict.fromkeys(notes)),
        )

    def _asked(self, wanted: Wanted, filters: Filters, sources: Sequence[Source]) -> _Asked:
        documents = tuple(each.kind for each in sources if each.profile == "documents")
        kinds = _allowed(SUMMARIES, filters)
        is_summaries = wanted.mode == "summaries" or (wanted.mode == "auto" and not wanted.narrowing.is_of_turns)
        return _Asked(
            talk=wanted.mode in ("auto", "chunks") and bool(_allowed(("turn", "pinned", "semantic"), filters)),
            summaries=kinds if is_summaries and has_summaries(self._project) else (),
            others=documents if not filters.kinds else (),
            code=kinds_of([each for each in sources if each.profile == "code"]) if not filters.kinds else (),
        )

    def _found(
        self, wanted: Wanted, filters: Filters, asked: _Asked, contents: Contents
    ) -> tuple[Found | None, Found | None, Found | None]:
        """Of talk, of documents and of code; None for what is not searched."""
        ask = partial(self._of_profile, wanted, contents)
        documents = asked.summaries + asked.others
        return (
            ask("talk", filters) if asked.talk else None,
            ask("documents", replace(filters, kinds=documents)) if documents else None,
            ask("code", replace(filters, kinds=asked.code)) if asked.code else None,
        )

    def _of_profile(self, wanted: Wanted, contents: Contents, profile: Profile, filters: Filters) -> Found:
        request = SearchRequest(
            text=wanted.text,
            profile=profile,
            filters=filters,
            limit=wanted.k,
            fusion=wanted.fusion,
            threshold=wanted.threshold,
            around=wanted.around if profile == "talk" else 0,
            explain=wanted.explain,
            dates=wanted.dates if profile == "talk" else (),
        )
        as_of = wanted.narrowing.as_of
        if as_of is not None and profile == "talk":
            index = self._services.get(Indexing).index
            request = replace(request, filters=known_by(as_of, self._project, index, filters))
        return find(self._search, self._project.scope, request, contents.of, passes_many=as_of is not None)

    def _why_empty(self, wanted: Wanted, sources: Sequence[Source], answered: Sequence[Found]) -> str:
        if wanted.mode in ("code", "skills") and not sources:
            return f"This installation has no {wanted.mode} to search. Use mode auto, which searches what was recorded."
        if not answered and wanted.mode == "summaries" and not has_summaries(self._project):
            return NO_SUMMARIES
        if not answered:
            return "filters.kind names nothing of this mode. Repeat the call without it, or with mode auto."
        passed_over = any(each.passed_over for each in answered)
        return why_empty(self._project, wanted.mode, wanted.narrowing, answered[0].empty, passed_over=passed_over)


def _allowed(kinds: tuple[str, ...], filters: Filters) -> tuple[str, ...]:
    return tuple(each for each in kinds if not filters.kinds or each in filters.kinds)


def _joined(wanted: Wanted, found: tuple[Found | None, Found | None, Found | None]) -> tuple[list[Match], bool]:
    """The hits of the answer, and whether there are more."""
    talk, documents, code = (each or Found() for each in found)
    summaries: list[Match] = []
    others: list[Match] = []
    for match in documents.matches:
        is_summary = wanted.mode == "auto" and isinstance(match.content, Memory)
        (summaries if is_summary else others).append(match)
    lists = [each for each in (talk.matches, others, code.matches) if each]
    joined = with_summaries(merged(lists), summaries, wanted.k)
    cut = any(each.more for each in (talk, documents, code)) or sum(map(len, (*lists, summaries))) > wanted.k
    return in_order(joined[: wanted.k], by_similarity=len(lists) > 1 or _leads(joined, lists)), cut


def _leads(joined: Sequence[Match], lists: Sequence[Sequence[Match]]) -> bool:
    """Whether a summary comes before what the ranking put first."""
    return bool(lists) and joined[0] not in [each[0] for each in lists]
