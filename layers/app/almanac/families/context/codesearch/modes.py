"""The three modes of code search: text, symbol and semantic."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from almanac.families.code.core.code import CodeProject
from almanac.families.code.core.names import fold_parts, last_name, parts_of_name
from almanac.families.code.core.records import FILES
from almanac.families.code.search.code_search import SPARE, CodeQuery, CodeSearch
from almanac.families.code.search.definition_files import files_that_define
from almanac.families.code.search.definitions import (
    NamedDefinition,
    NameRank,
    Outlines,
    match_definitions,
    rank_of_symbol,
)
from almanac.families.code.search.lines import FileLines, LineSearch
from almanac.families.code.search.path_globs import path_glob
from almanac.families.code.search.result_order import CodeMatch
from almanac.families.code.traversal.read_cache import ReadCache
from almanac.families.context.codesearch.kinds import SymbolKind, contract_kind, kind_in_index, kind_test, languages_of
from almanac.families.context.codesearch.result_builder import CodeResultBuilder
from almanac.families.context.codesearch.results import CodeResult
from almanac.families.context.core.below import BelowThreshold, below_threshold
from almanac.kernel.caller import Caller
from almanac.search.questions.port import MAX_LIMIT, Search

Mode = Literal["text", "symbol", "semantic"]
CANDIDATES = 60
"""Hits whose files are searched for definitions of a name."""
AROUND = 2
"""Lines shown before and after a matching line."""
GROUPS = 5
"""Maximum number of places shown per file."""
_SPENT = "Some files took too long to read: their symbols are shown by what the index has of them, or not at all."
_UNREAD = "Not all files could be searched in one call. Narrow the search with filePattern, language or projectPath."
_ONLY_SYMBOLS = "symbolKind was ignored: it applies to the modes symbol and semantic only."


class CodeAsk(Struct, frozen=True, kw_only=True):
    """A validated code search; `repo_id` None means all repositories."""

    text: str
    mode: Mode
    language: str | None
    glob: str | None
    kind: SymbolKind | None
    limit: int
    threshold: float
    content: bool
    repo_id: str | None


class Outcome(Struct, frozen=True, kw_only=True):
    """The results of a code search. `more`: there are others. `below` describes hits under the threshold. `other_kinds`
    are kinds of definitions with this name that the filter left out."""

    results: Sequence[CodeResult] = ()
    more: bool = False
    below: BelowThreshold | None = None
    other_kinds: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class CodeSearchModes:
    """Code search in one project, for one call."""

    def __init__(self, project: CodeProject, search: Search, caller: Caller, kept: ReadCache, ask: CodeAsk) -> None:
        self._project = project
        self._kept = kept
        self._search = CodeSearch(project, search, caller)
        self._ask = ask
        self._showing = CodeResultBuilder(ask.limit, content=ask.content)
        self._query = CodeQuery(
            text=ask.text,
            limit=ask.limit,
            repo_id=ask.repo_id,
            glob=ask.glob,
            languages=languages_of(ask.language) if ask.language is not None else frozenset(),
        )

    def find(self) -> Outcome:
        """Return the results. Raises InvalidInput for a malformed file pattern."""
        modes = {"text": self._text, "symbol": self._symbol, "semantic": self._semantic}
        found = modes[self._ask.mode]()
        return replace(found, notes=tuple(map(_in_contract, found.notes)))

    def _text(self) -> Outcome:
        answer = LineSearch(self._project, self._search).find(self._query)
        shown = [result for each in answer.found for result in self._places(each)]
        notes = [_UNREAD] if answer.unread else []
        if self._ask.kind is not None:
            notes.append(_ONLY_SYMBOLS)
        limit = self._ask.limit
        more = answer.more or answer.unread or len(shown) > limit
        return Outcome(results=shown[:limit], more=more, notes=tuple(notes))

    def _places(self, found: FileLines) -> Iterator[CodeResult]:
        last = len(found.lines) - (found.lines[-1] == "")
        for numbers in list(_group_lines(found.numbers))[:GROUPS]:
            span = (max(1, numbers[0] - AROUND), min(last, numbers[-1] + AROUND))
            yield self._showing.lines(found.file, found.lines, span, numbers)

    def _symbol(self) -> Outcome:
        answer = self._search.find(replace(self._query, limit=CANDIDATES))
        outlines = Outlines(self._project)
        last = "".join(parts_of_name(self._ask.text)[-1:])
        alike = [each.found for each in answer.matches if last.casefold() in last_name(each.found.part.symbol)]
        by_file: dict[str, NameRank] = dict.fromkeys(self._files_defining(), NameRank.SAME)
        for each in alike:
            rank = rank_of_symbol(each.part.symbol, each.file.path, self._ask.text)
            rank = NameRank.HAS if rank is None else rank
            by_file[each.file.id] = min(rank, by_file.get(each.file.id, rank))
        other_kinds = dict[str, None]()
        named = self._find_named(outlines, sorted(by_file.items(), key=lambda each: each[1]), other_kinds)
        if not named and last:
            # Word search does not find parts of words.
            having = LineSearch(self._project, self._search).each(replace(self._query, text=last))
            inside = fold_parts(parts_of_name(self._ask.text)[:-1])
            files = (each.file.id for each in islice(having, CANDIDATES) if _names_all(each, inside))
            named = self._find_named(outlines, ((each, NameRank.HAS) for each in files), other_kinds)
        shown = [
            self._showing.definition(each.outlined.file, each.outlined.lines, each.definition)
            for each in named[: self._ask.limit]
        ]
        notes = (*answer.notes, *((_SPENT,) if outlines.spent else ()))
        kinds = () if shown else tuple(other_kinds)
        return Outcome(results=shown, more=len(named) > self._ask.limit, other_kinds=kinds, notes=notes)

    def _find_named(
        self, outlines: Outlines, files: Iterable[tuple[str, NameRank]], other_kinds: dict[str, None]
    ) -> list[NamedDefinition]:
        """Return definitions with the name in these files, which are ordered by the best rank that their definitions
        may have. Parsing a file takes a hundred times as long as finding it, so only files that can still reach the
        first places are parsed."""
        named: list[NamedDefinition] = []
        fits = kind_test(self._ask.kind)
        for file, best in files:
            if sum(each.rank <= best for each in named) > self._ask.limit:
                break
            for each in match_definitions(outlines.each((file,)), self._ask.text, lambda _definition, _language: True):
                if fits(each.definition, each.outlined.file.language):
                    named.append(each)
                elif each.rank in (NameRank.SAME, NameRank.SAME_FOLDED):
                    other_kinds[contract_kind(each.definition.kind)] = None
        return sorted(named, key=lambda each: each.rank)

    def _files_defining(self) -> list[str]:
        """Return the ids of files that define exactly this name and pass the filters."""
        ids = files_that_define(self._project, self._kept, self._ask.text, self._query.repo_id)
        glob = path_glob(self._project, self._query.glob) if self._query.glob is not None else None
        files = self._project.rows(FILES).by_id(ids)
        languages = self._query.languages
        return [
            each.id
            for each in files.values()
            if (not languages or each.language in languages) and (glob is None or glob.matches(each.path))
        ]

    def _semantic(self) -> Outcome:
        ask = self._ask
        kind = kind_in_index(ask.kind)
        limit = MAX_LIMIT if ask.kind == "export" else min(MAX_LIMIT, ask.limit + SPARE)
        answer = self._search.find(replace(self._query, kind=kind, limit=limit))
        near = [each for each in answer.matches if each.hit.similarity >= ask.threshold]
        outlines = Outlines(self._project)
        shown = list(self._results(near, outlines))
        below = [each.hit.similarity for each in answer.matches if each.hit.similarity < ask.threshold]
        return Outcome(
            results=shown[: ask.limit],
            more=len(shown) > ask.limit or (answer.more and not below),
            below=below_threshold(below),
            notes=(*answer.notes, *((_SPENT,) if outlines.spent else ())),
        )

    def _results(self, matches: Sequence[CodeMatch], outlines: Outlines) -> Iterator[CodeResult]:
        files = outlines.of(each.found.file.id for each in matches)
        fits = kind_test(self._ask.kind)
        seen: set[tuple[str, int]] = set()
        for match in matches:
            file, part = match.found.file, match.found.part
            outlined = files.get(file.id)
            if outlined is None:
                continue  # deleted since the search
            definition = outlined.at(part)
            if definition is None:
                if self._ask.kind != "export":
                    yield self._showing.part(file, outlined.lines, part, match.hit.similarity)
            elif fits(definition, file.language) and (file.id, definition.start_line) not in seen:
                seen.add((file.id, definition.start_line))
                yield self._showing.definition(file, outlined.lines, definition, match.hit.similarity)


def _in_contract(text: str) -> str:
    """Return a text of the family code with the argument names of context_searchCode."""
    return text.replace("path_glob", "filePattern").replace("repo_id", "projectPath")


def _names_all(found: FileLines, names: Sequence[str]) -> bool:
    """Return whether a file may define something inside the named scope. This is a cheap test, since reading its
    symbols takes a hundred times as long."""
    texts = (found.file.path.casefold(), "\n".join(found.lines).casefold())
    return all(any(name in text for text in texts) for name in names)


def _group_lines(numbers: Sequence[int]) -> Iterator[list[int]]:
    """Group lines whose surrounding lines touch, so that they are shown together."""
    group: list[int] = []
    for number in numbers:
        if group and number - group[-1] > 2 * AROUND + 1:
            yield group
            group = []
        group.append(number)
    if group:
        yield group
