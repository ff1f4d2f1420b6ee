"""A search of code: by name if the query is one, then by words and meaning."""

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
"""Extra hits per query. Activity may move one of them up, and a file may just have changed."""
_BY_NAME = 20
_SETTING_KINDS = frozenset((SETTINGS, VALUES, "constant", "variable", "macro"))
"""Kinds of values. A value of several lines, or with a comment, is a definition of its own."""
_ELSEWHERE = {"kind": VALUES}
"""Filter for a query without a kind. It leaves out inner values, since their definition is found with them."""
_CUT = (
    "path_glob: of the files, {listed:,} at most, only the first {searched:,} that it means were searched. Begin it "
    "with a folder, or give repo_id."
)


class CodeQuery(Struct, frozen=True, kw_only=True):
    """A code search. None, and no `languages`, allow all. The kind "settings" means values of all kinds. `since` is
    milliseconds since 1970, `limit` 1 to 100."""

    text: str
    limit: int = 10
    repo_id: str | None = None
    glob: str | None = None
    language: str | None = None
    languages: frozenset[str] = frozenset()
    kind: str | None = None
    since: int | None = None


class CodeAnswer(Struct, frozen=True, kw_only=True):
    """The matches, best first. `more` means that there are others. `no_path` means that the glob matches no indexed
    file."""

    matches: Sequence[CodeMatch] = ()
    more: bool = False
    pending: int = 0
    notes: tuple[str, ...] = ()
    empty: Emptiness | None = None
    no_path: bool = False


class CodeSearch:
    """Searches the code of one project, for one call."""

    def __init__(self, project: CodeProject, search: Search, caller: Caller) -> None:
        self._project = project
        self._search = search
        self._caller = caller

    def find(self, query: CodeQuery) -> CodeAnswer:
        """Search code. Raises InvalidInput for an invalid glob."""
        glob = path_glob(self._project, query.glob) if query.glob is not None else None
        run = _QueryRun(self._project, self._search, query, glob)
        name = identifier_in(query.text)
        by_name = run.find_by_name(last_name(name), _BY_NAME + query.limit) if name else ()
        hits = _merge_hits(by_name, run.hits(query.limit + SPARE))
        found = parts_by_id(self._project, [hit.id for hit in hits])
        there = [(hit, found[hit.id]) for hit in hits if hit.id in found]
        paths = list(dict.fromkeys(part.file.path for _, part in there))
        matches = in_order(there, name, activity(self._project, paths, self._caller) if paths else {})
        answer = run.answer
        return CodeAnswer(
            matches=matches[: query.limit],
            more=len(matches) > query.limit or answer.cut,
            pending=answer.pending,
            notes=tuple(dict.fromkeys((*run.notes, *answer.notes))),
            empty=answer.empty,
            no_path=run.no_path,
        )

    def find_definitions(self, name: str, repo_id: str | None, limit: int) -> list[FoundPart]:
        """Return parts of definitions whose last name equals the last part of `name`, without regard to case."""
        run = _QueryRun(self._project, self._search, CodeQuery(text=name, repo_id=repo_id), None)
        return list(parts_by_id(self._project, [hit.id for hit in run.hits(limit, name=last_name(name))]).values())


class _QueryRun:
    """The index requests for one query. `answer` is the last answer; `notes` say what was not searched."""

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

    def find_by_name(self, name: str, limit: int) -> Sequence[Hit]:
        """Return up to `limit` definitions with that last name, and as many places that set it."""
        defining, setting = self.hits(limit, name=name), self.hits(limit, sets=name)
        known = {hit.id for hit in defining}
        return [*defining, *(hit for hit in setting if hit.id not in known)]

    def hits(self, limit: int, name: str | None = None, sets: str | None = None) -> Sequence[Hit]:
        """Return up to `limit` hits: definitions with the last name `name`, or places that set the value `sets`, if
        given."""
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
        values = {"repo": query.repo_id, "lang": query.language, "name": name}
        fields = {field: value for field, value in values.items() if value is not None}
        among = {name: values for name, values in (("lang", languages), ("kind", kinds)) if values}
        tags = () if sets is None else (sets,)
        left_out = _ELSEWHERE if query.kind is None else {}
        filters = Filters(
            kinds=(KIND,), since=query.since, tags=tags, fields=fields, among=among, except_fields=left_out
        )
        # A search by name often finds nothing, so only the search by words explains an empty result.
        by_name = name is not None or sets is not None
        request = SearchRequest(
            text=query.text, profile="code", filters=filters, limit=min(limit, MAX_LIMIT), reasons=not by_name
        )
        if self._glob is None:
            return self._run(request)
        if self._paths is None:
            # The best hits usually contain matches of a wide glob. A narrow glob is worth listing its files.
            inside = self._inside(self._run(replace(request, limit=MAX_LIMIT)), self._glob)
            if len(inside) >= request.limit:
                self.answer = replace(self.answer, cut=True)
                return inside[: request.limit]
            self._paths = self._list_paths(self._glob)
        return self._run(replace(request, filters=replace(filters, among={**among, "path": self._paths})))

    def _run(self, request: SearchRequest) -> Sequence[Hit]:
        self.answer = self._search.search(self._project.scope, request)
        return self.answer.hits

    def _inside(self, hits: Sequence[Hit], glob: PathGlob) -> list[Hit]:
        files = self._project.rows(FILES).by_id({file_of_part(hit.id) for hit in hits})
        return [hit for hit in hits if (file := files.get(file_of_part(hit.id))) and glob.matches(file.path)]

    def _list_paths(self, glob: PathGlob) -> frozenset[str]:
        listed = glob.matching_paths(self._query.repo_id)
        if listed.cut:
            self.notes = (_CUT.format(listed=MOST_LISTED, searched=len(listed.paths)),)
        return listed.paths


def _kinds(kind: str) -> frozenset[str]:
    return _SETTING_KINDS if kind == SETTINGS else frozenset((kind,))


def _merge_hits(first: Sequence[Hit], then: Sequence[Hit]) -> list[Hit]:
    """Merge hits, each once. Scores of a search by name are not comparable, so they are limited to the lowest of the
    others."""
    by_id = {hit.id: hit for hit in then}
    floor = min((hit.score for hit in then), default=0.0)
    named = [by_id.get(hit.id, replace(hit, score=min(hit.score, floor))) for hit in first]
    known = {hit.id for hit in named}
    return [*named, *(hit for hit in then if hit.id not in known)]
