"""Explanations of a recall without results, in terms of its arguments, with the next call to make."""

from collections.abc import Mapping, Sequence

from almanac.families.context.core.below import BelowThreshold
from almanac.families.context.core.context import Context
from almanac.families.context.core.types import KEPT_KINDS
from almanac.families.context.recall.matches import ScopeMatches
from almanac.families.context.recall.recall_query import RecallQuery
from almanac.families.memory.core.documents import TYPE_FIELD
from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import MEMORIES
from almanac.search.questions.port import NO_VECTORS

_ARGUMENTS: Mapping[str, str] = {
    "kinds": "filter.layers",
    TYPE_FIELD: "filter.types",
    "any_tags": "filter.tags",
    "tags": "filter.projectPath",
}
_HARDLY = 0.1
"""Lowest similarity that is worth another call."""
_NOTHING_STORED = (
    "Nothing is stored in these layers yet. context_store keeps a decision, bug fix, convention or pattern;"
    " search_memory searches recorded turns too."
)
_NO_MEANING = (
    "This server has no embedding model, which mode semantic needs. Repeat the call with mode hybrid or keyword."
    " The operator of `almanac serve` can add it with `almanac embedder install`."
)
_NOTHING_ALIKE = (
    "Nothing stored in these layers matches. Use other words or fewer; search_memory searches recorded turns and"
    " summaries too."
)


def explain_empty(
    context: Context, query: RecallQuery, searched: Sequence[ScopeMatches], below: BelowThreshold | None
) -> str:
    if below is not None:
        return _explain_threshold(query, below)
    if query.mode == "semantic" and any(NO_VECTORS in each.notes for each in searched):
        return _NO_MEANING
    behind = next((each.empty.text for each in searched if each.empty and each.empty.reason == "behind"), None)
    if behind is not None:
        return behind
    if not any(_has_any(project) for project in context.projects):
        return _NOTHING_STORED
    return _explain_filters(query, searched)


def _explain_threshold(query: RecallQuery, below: BelowThreshold) -> str:
    if below.best < _HARDLY:
        return _NOTHING_ALIKE
    many = "1 memory was" if below.count == 1 else f"{below.count} memories were"
    return (
        f"{many} compared, none reaches the threshold of {query.threshold:g}: the most alike has {below.best:.2f}."
        f" Repeat the call with threshold {below.best:g} or less, or in other words."
    )


def _explain_filters(query: RecallQuery, searched: Sequence[ScopeMatches]) -> str:
    empty = [each.empty for each in searched if each.empty is not None]
    blamed = {_ARGUMENTS[name] for each in empty for name in each.filters if name in _ARGUMENTS}
    if not query.names_layers:
        blamed.discard("filter.layers")
    if blamed:
        names = " or ".join(sorted(blamed))
        return f"{names} leaves nothing; other memories match. Repeat the call without it, or with another value."
    if any(each.reason == "filters" for each in empty) and (query.types or query.tags or query.place):
        return "The filters together leave nothing; others match. Repeat the call with fewer of them."
    return _NOTHING_ALIKE


def _has_any(project: MemoryProject) -> bool:
    rows = project.rows(MEMORIES)
    return any(rows.query(kind, index="gsi1", limit=1).records for kind in ("working", *KEPT_KINDS))
