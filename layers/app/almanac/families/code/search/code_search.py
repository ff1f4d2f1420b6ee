"""One search of code: by name where a name is asked for, then by words and meaning."""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from almanac.families.code.core.code import CodeProject, file_of_part
from almanac.families.code.core.codec import SETTINGS, VALUES
from almanac.families.code.core.contents import FoundPart, parts_by_id
from almanac.families.code.core.documents import KIND
from almanac.families.code.core.names import identifier_in, last_name
from almanac.families.code.core.records import FILES
from almanac.families.code.search.activity import activity
from almanac.families.code.search.kinds import WITH_STRUCTS, further_kinds
from almanac.families.code.search.path_globs import MOST_LISTED, PathGlob, path_glob
from almanac.families.code.search.result_order import CodeMatch, in_order
from almanac.kernel.caller import Caller
from almanac.search.port import Filters
from almanac.search.questions.port import MAX_LIMIT, Answer, Emptiness, Hit, Search, SearchRequest

SPARE = 5
"""Hits more than are wanted: activity may move one of them up, and a file may just have changed."""
_BY_NAME = 20
_SETTING_KINDS = frozenset((SETTINGS, VALUES, "constant", "variable", "macro"))
"""A value of several lines, or one that is explained, is a definition of its own."""
_ELSEWHERE = {"kind": VALUES}
"""Filter for a query without a kind: values are left out, since a definition is found with the values in it."""
_CUT = (
    "path_glob: of the files, {listed:,} at most, only the first {searched:,} that it means were searched. Begin it "
    "with a folder, or give repo_id."
)


class CodeQuery(Struct, frozen=True, kw_only=True):
    """A code search; None allows all, and so do no `languages`. The kind "settings" means values of all kinds. `since`
    is milliseconds since 1970, `limit` 1 to 100."""

    text: str
    limit: int = 10
    repo_id: str | None = None
    glob: str | None = None
    language: str | None = None
    languages: frozenset[str] = frozenset()
    kind: str | None = None
    since: int | None = None


class CodeAnswer(Struct, frozen=True, kw_only=True):
    """The best first. `more`: there are others. `no_path`: no indexed file has a path that the glob means."""

    matches: Sequence[CodeMatch] = ()
    more: bool = False
    pending: int = 0
    notes: tuple[str, ...] = ()
    empty: Emptiness | None = None
    no_path: bool = False


class CodeSearch:
    """Of one project, for one call."""

    def __init__(self, project: CodeProject, search: Search, caller: Caller) -> None:
        self._project = project
        self._search = search
        self._caller = caller

    def find(self, query: CodeQuery) -> CodeAnswer:
        """Raises InvalidInput for a glob that cannot be read."""
        glob = path_glob(self._project, query.glob) if query.glob is not None else None
        asking = _QueryRun(self._project, self._search, query, glob)
        name = identifier_in(query.text)
        by_name = asking.called(last_name(name), _BY_NAME + query.limit) if name else ()
        hits = _joined(by_name, asking.hits(query.limit + SPARE))
        found = parts_by_id(self._project, [hit.id for hit in hits])
        there = [(hit, found[hit.id]) for hit in hits if hit.id in found]
        paths = list(dict.fromkeys(part.file.path for _, part in there))
        matches = in_order(there, name, activity(self._project, paths, self._caller) if paths else {})
        answer = asking.answer
        return CodeAnswer(
            matches=matches[: query.limit],
            more=len(matches) > query.limit or answer.cut,
            pending=answer.pending,
            notes=tuple(dict.fromkeys((*asking.notes, *answer.notes))),
            empty=answer.empty,
            no_path=asking.no_path,
        )

    def named(self, name: str, repo_id: str | None, limit: int) -> list[FoundPart]:
        """Parts of definitions whose last name is that of `name`, without regard to case."""
        asking = _QueryRun(self._project, self._search, CodeQuery(text=name, repo_id=repo_id), None)
        return list(parts_by_id(self._project, [hit.id for hit in asking.hits(limit, name=last_name(name))]).values())


class _QueryRun:
    """The requests to the index for one query. `answer` is the last answer; `notes` say what was not searched. `answer`
    is the last one, `notes` say what was not looked at."""

    def __init__(self, project: CodeProject, search: Search, query: CodeQuery, glob: PathGlob | None) -> None:
        self._project = project
        self._search = search
        self._query = query
        self._glob = glob
        self._paths: frozenset[str] | None = None
        self.answer = Answer()
        self.notes: tuple[str, ...] = ()

    @property
    def no_path(self) -> bool:
        return self._paths is not None and not self._paths

    def called(self, name: str, limit: int) -> Sequence[Hit]:
        """Up to `limit` definitions whose last name that is, and as many places that set it."""
        defining, setting = self.hits(limit, name=name), self.hits(limit, sets=name)
        known = {hit.id for hit in defining}
        return [*defining, *(hit for hit in setting if hit.id not in known)]

    def hits(self, limit: int, name: str | None = None, sets: str | None = None) -> Sequence[Hit]:
        """Up to `limit`; with `name`, of definitions whose last name that is, with `sets`, of what gives it a value."""
        kind = self._query.kind
        found = self._hits(limit, name, sets, frozenset() if kind is None else _kinds(kind), self._query.languages)
        more = further_kinds(kind) if kind is not None else frozenset[str]()
        languages = WITH_STRUCTS & (self._query.languages or WITH_STRUCTS)
        if not more or not languages or (self._query.language or "go") not in WITH_STRUCTS:
            return found
        answer = self.answer
        also = self._hits(limit, name, sets, more, languages)
        if found:
            self.answer = replace(answer, cut=answer.cut or self.answer.cut)
        return sorted((*found, *also), key=lambda hit: -hit.score)[:limit]

    def _hits(
        self, limit: int, name: str | None, sets: str | None, kinds: frozenset[str], languages: frozenset[str]
    ) -> Sequence[Hit]:
        query = self._query
        said = {"repo": query.repo_id, "lang": query.language, "name": name}
        fields = {field: value for field, value in said.items() if value is not None}
        among = {name: values for name, values in (("lang", languages), ("kind", kinds)) if values}
        tags = () if sets is None else (sets,)
        left_out = _ELSEWHERE if query.kind is None else {}
        filters = Filters(
            kinds=(KIND,), since=query.since, tags=tags, fields=fields, among=among, except_fields=left_out
        )
        # That nothing has a name is no surprise: only the search by words says why it finds nothing.
        by_name = name is not None or sets is not None
        request = SearchRequest(
            text=query.text, profile="code", filters=filters, limit=min(limit, MAX_LIMIT), reasons=not by_name
        )
        if self._glob is None:
            return self._asked(request)
        if self._paths is None:
            # A wide glob is mostly among the best hits; a narrow one is worth finding its files for.
            inside = self._inside(self._asked(replace(request, limit=MAX_LIMIT)), self._glob)
            if len(inside) >= request.limit:
                self.answer = replace(self.answer, cut=True)
                return inside[: request.limit]
            self._paths = self._listed(self._glob)
        return self._asked(replace(request, filters=replace(filters, among={**among, "path": self._paths})))

    def _asked(self, request: SearchRequest) -> Sequence[Hit]:
        self.answer = self._search.search(self._project.scope, request)
        return self.answer.hits

    def _inside(self, hits: Sequence[Hit], glob: PathGlob) -> list[Hit]:
        files = self._project.rows(FILES).by_id({file_of_part(hit.id) for hit in hits})
        return [hit for hit in hits if (file := files.get(file_of_part(hit.id))) and glob.means(file.path)]

    def _listed(self, glob: PathGlob) -> frozenset[str]:
        listed = glob.listed(self._query.repo_id)
        if listed.cut:
            self.notes = (_CUT.format(listed=MOST_LISTED, searched=len(listed.paths)),)
        return listed.paths


def _kinds(kind: str) -> frozenset[str]:
    return _SETTING_KINDS if kind == SETTINGS else frozenset((kind,))


def _joined(first: Sequence[Hit], then: Sequence[Hit]) -> list[Hit]:
    """Each hit once. Those that were asked for by name have scores of their own, which say nothing of the others."""
    by_id = {hit.id: hit for hit in then}
    floor = min((hit.score for hit in then), default=0.0)
    named = [by_id.get(hit.id, replace(hit, score=min(hit.score, floor))) for hit in first]
    known = {hit.id for hit in named}
    return [*named, *(hit for hit in then if hit.id not in known)]
