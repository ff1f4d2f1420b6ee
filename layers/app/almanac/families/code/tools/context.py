"""The tool that gathers the project's knowledge about one file or symbol."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Annotated

from msgspec import Meta

from almanac.content import clean
from almanac.families.code.context.gatherer import (
    claims_on,
    documents_about,
    memories_about,
    names_of,
    reviews_of,
    turns_about,
)
from almanac.families.code.context.targets import Choices, Target, Targets
from almanac.families.code.core.code import CodeProject
from almanac.families.code.search.code_search import CodeSearch
from almanac.families.code.tools.context_results import Ambiguous, CodeContext, ambiguous_view, context_view
from almanac.families.code.tools.context_rows import (
    claim_candidate,
    code_candidates,
    document_candidate,
    review_candidate,
)
from almanac.families.memory.core.memory import open_memory
from almanac.families.memory.snapshot.budget import Candidate
from almanac.families.memory.snapshot.rows import memory_candidate, turn_candidate
from almanac.kernel.caller import Caller
from almanac.kernel.errors import InvalidInput
from almanac.kernel.owners import Data, left_out_by_key, may_see
from almanac.platform.services import Services
from almanac.protocol.tool import Effect, tool
from almanac.search.port import Document
from almanac.search.questions.port import Search


@tool(title="Gather context of code", effect=Effect.READS)
def get_code_context(
    target: Annotated[
        str,
        Meta(
            description="Path, path:line, symbol or file_id.",
            examples=["src/auth.py"],
            min_length=1,
            max_length=500,
        ),
    ],
    repo_id: Annotated[str, Meta(description="Only of this repository.", max_length=100)] | None = None,
    max_tokens: Annotated[int, Meta(description="Most tokens of the answer.", ge=400, le=100_000)] = 4000,
    *,
    code: CodeProject,
    search: Search,
    caller: Caller,
    services: Services,
) -> CodeContext | Ambiguous:
    """Show a source file, function or class with everything you need to know before you touch or edit it: its
    definition, recent discussion, memories, claims, reviews, facts and notes. To find code use search_code.
    """
    text = clean(target).text.strip()
    if not text:
        raise InvalidInput("A target is missing.", "Give a path, a symbol or a file_id.", path="target")
    search = search.once()
    sees_claims = may_see(caller.families, "teamwork")
    meant = Targets(code, CodeSearch(code, search, caller), repo_id, sees_claims=sees_claims).find(text)
    if isinstance(meant, Choices):
        return ambiguous_view(code, meant, max_tokens)
    gathering = _Candidates(code, search, services, caller, meant)
    return context_view(code, meant, gathering.candidates(), max_tokens, gathering.left_out_by_key, gathering.notes)


_DATA: Mapping[str, Data] = {
    "pins": "memories",
    "claims": "teamwork",
    "reviews": "teamwork",
    "turns": "turns",
    "memories": "memories",
    "facts": "facts",
    "project_notes": "notes",
    "cards": "cards",
    "events": "events",
    "journal": "journal",
}
"""The sections other than code, each with the data that it shows."""
_TALK, _SUMMARIES = ("semantic", "working"), ("consolidated", "reflection")
_DOCUMENTS = {"facts": "fact", "project_notes": "note", "cards": "card", "events": "event", "journal": "journal"}
_TOGETHER = ("card", "event", "journal")
"""Kinds that share one search, because there are few documents of each."""


class _Candidates:
    """The candidates for each section that the caller's key may see. `notes` say what was not examined."""

    def __init__(self, code: CodeProject, search: Search, services: Services, caller: Caller, target: Target) -> None:
        self._code = code
        self._search = search
        self._services = services
        self._caller = caller
        self._target = target
        self._names = names_of(target)
        self.left_out_by_key = tuple(name for name, data in _DATA.items() if not may_see(caller.families, data))
        self.notes = [*target.notes, *left_out_by_key(caller.families, _DATA.values())]

    def candidates(self) -> dict[str, Sequence[Candidate]]:
        found: dict[str, Sequence[Candidate]] = {"code": code_candidates(self._target)}
        return found | {name: () if name in self.left_out_by_key else self._of(name) for name in _DATA}

    def _of(self, section: str) -> Sequence[Candidate]:
        paths = self._target.paths
        match section:
            case "pins":
                return self._memories("pinned")
            case "memories":
                return [*self._memories(*_TALK), *self._memories(*_SUMMARIES)]
            case "claims":
                return self._claims(paths)
            case "reviews":
                return [review_candidate(each) for each in reviews_of(self._code, paths, self._names)]
            case "turns":
                turns = turns_about(self._code, self._search, self._services, self._names)
                return [turn_candidate(each, None) for each in turns]
            case _:
                kind = _DOCUMENTS[section]
                found = self._plans if kind in _TOGETHER else self._documents(kind)
                return [document_candidate(each) for each in found[kind]]

    @cached_property
    def _plans(self) -> Mapping[str, Sequence[Document]]:
        return self._documents(*_TOGETHER)

    def _documents(self, *kinds: str) -> Mapping[str, Sequence[Document]]:
        return documents_about(self._code.scope, self._search, self._services, kinds, self._names)

    def _memories(self, *kinds: str) -> list[Candidate]:
        memory = open_memory(self._services, self._caller, self._code.clock)
        found = memories_about(memory, self._search, self._services, kinds, self._names)
        return [memory_candidate(each, shared=shared) for each, shared in found]

    def _claims(self, paths: Sequence[str]) -> list[Candidate]:
        claims, were_compared = claims_on(self._code, paths)
        if not were_compared:
            self.notes.append("Some claims take too long to compare with this path: list_claims shows them.")
        return [claim_candidate(each) for each in claims]
