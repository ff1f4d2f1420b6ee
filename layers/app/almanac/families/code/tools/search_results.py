"""Results of search_code. Code is shown as data, with the numbers of its lines."""

from collections.abc import Sequence

from msgspec import Struct

from almanac.families.code.core.code import CodeProject
from almanac.families.code.core.contents import FoundPart, lines_of
from almanac.families.code.core.records import REPOSITORIES
from almanac.families.code.core.snippets import number_lines, window
from almanac.families.code.indexer.states import IndexState, states
from almanac.families.code.search.code_search import CodeAnswer, CodeQuery
from almanac.families.code.search.result_order import CodeMatch
from almanac.families.team.core.quoted_texts import TextQuoter
from almanac.search.analysis.words import question_terms

SNIPPET_LINES = 24
FEWEST_LINES = 4
LINES_IN_ALL = 160
"""Limit for all snippets, except for the fewest lines of each: 16 lines for each of ten hits."""
MOST_TERMS = 40
"""Terms of a query by which lines are chosen."""
MOST_REPOSITORIES = 20


class CodeHit(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """Lines count from 1, `end_line` included; `symbol` is the definition's name within the file, and `kind` its kind:
    function, method, class, type, section, settings, values set within a definition, text and so on. `snippet`: its
    lines after their numbers; `cut`: it has more. `score` orders this answer; `similarity`, 0 to 1, compares hits of
    all answers. `why`: other reasons for its rank. `untrusted`: others wrote it; `notes` name parts that look like
    instructions or were removed."""

    file_id: str
    repo_id: str
    path: str
    start_line: int
    end_line: int
    kind: str
    lang: str
    score: float
    similarity: float
    snippet: str
    untrusted: bool
    symbol: str | None = None
    why: tuple[str, ...] = ()
    cut: bool = False
    notes: tuple[str, ...] = ()


class CodeHits(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """The best first; definitions of exactly the requested name come before all others. `truncated`: there are more
    than k. `repositories`: how fresh the index is of the repositories with hits, or of those searched, at most 20.
    `pending` parts of files were just written and could not be searched yet. `empty_because`: why nothing was found,
    and which call to make next. `notes`: what was not searched."""

    hits: tuple[CodeHit, ...]
    truncated: bool
    pending: int
    repositories: tuple[IndexState, ...]
    empty_because: str | None = None
    notes: tuple[str, ...] = ()


def hits_view(project: CodeProject, query: CodeQuery, answer: CodeAnswer) -> CodeHits:
    matches = answer.matches
    most = max(FEWEST_LINES, min(SNIPPET_LINES, LINES_IN_ALL // max(1, len(matches))))
    shown = _SnippetBuilder(most, question_terms(query.text, MOST_TERMS))
    return CodeHits(
        hits=tuple(shown.hit(match) for match in matches),
        truncated=answer.more,
        pending=answer.pending,
        repositories=tuple(_states(project, query.repo_id, [match.found.file.repo_id for match in matches])),
        empty_because=None if matches else _why_empty(project, query, answer),
        notes=answer.notes,
    )


def _states(project: CodeProject, repo_id: str | None, found: Sequence[str]) -> list[IndexState]:
    if repo_id is not None:
        return list(states(project, repo_id))
    different = list(dict.fromkeys(found))[:MOST_REPOSITORIES]
    if not different:
        return list(states(project))[:MOST_REPOSITORIES]
    return [state for each in different for state in states(project, each)]


class _SnippetBuilder:
    """Builds snippets of up to `most` lines, and unpacks the lines of each file once."""

    def __init__(self, most: int, terms: Sequence[str]) -> None:
        self._most = most
        self._terms = terms
        self._lines: dict[str, list[str]] = {}

    def hit(self, match: CodeMatch) -> CodeHit:
        found, quoting = match.found, TextQuoter()
        file, part = found.file, found.part
        lines = self._lines_of(found)
        first, last = window(lines, part.start, part.end, self._most, self._terms)
        return CodeHit(
            file_id=file.id,
            repo_id=file.repo_id,
            path=quoting.text("path", file.path),
            start_line=part.start,
            end_line=part.end,
            kind=part.kind,
            lang=file.language,
            score=round(match.score, 4),
            similarity=round(match.hit.similarity, 4),
            snippet=quoting.text("snippet", number_lines(lines, range(first, last + 1))),
            untrusted=True,
            symbol=quoting.text("symbol", part.symbol) or None,
            why=match.why,
            cut=(first, last) != (part.start, part.end),
            notes=quoting.notes,
        )

    def _lines_of(self, found: FoundPart) -> list[str]:
        if found.file.id not in self._lines:
            self._lines[found.file.id] = lines_of(found.text)
        return self._lines[found.file.id]


_ARGUMENTS = {"repo": "repo_id", "path": "path_glob"}
_OURS = ("kinds", "name", "except_fields")
"""Filters that come from no argument."""
_NAMED = 5


def _why_empty(project: CodeProject, query: CodeQuery, answer: CodeAnswer) -> str:
    """Explain why a search for code found nothing, and what to do next."""
    known = [each.repo_id for each in project.rows(REPOSITORIES).query(limit=_NAMED + 1).records]
    if not known:
        return (
            f"No repository is indexed in the project {project.scope.project}. index_files takes files; for a working "
            "tree use the command `almanac code index DIR`."
        )
    if query.repo_id is not None and project.rows(REPOSITORIES).get(query.repo_id) is None:
        return f"The repository {query.repo_id!r} is not indexed. Indexed are: {', '.join(known[:_NAMED])}."
    if answer.no_path:
        return f"path_glob: no indexed file has a path that {query.glob!r} means. list_files shows the paths."
    empty = answer.empty
    if empty is not None and empty.reason == "behind":
        return empty.text
    if empty is not None and empty.reason == "filters":
        return _explain_filters(empty.filters)
    return (
        "Nothing indexed is alike. Ask in other words or in fewer; for an identifier, give it as it is written. "
        "list_files shows what is indexed."
    )


def _explain_filters(filters: tuple[str, ...]) -> str:
    names = " or ".join(_ARGUMENTS.get(each, each) for each in filters if each not in _OURS)
    if not names:
        return "The filters together leave nothing; other code matches. Repeat the call with fewer of them."
    return f"{names} leaves nothing; other code matches. Repeat the call without it, or with another value."
