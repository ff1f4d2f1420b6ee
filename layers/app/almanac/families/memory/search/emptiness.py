"""Explanations of memory searches without results. They name the arguments responsible and the next call to make."""

from collections.abc import Iterable

from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import MEMORIES, TURNS
from almanac.families.memory.search.filters import HitFilters, argument_of
from almanac.families.memory.search.kinds import Mode
from almanac.search.questions.port import Emptiness, Reason

_ORDER: tuple[Reason, ...] = ("behind", "threshold", "filters", "nothing_alike", "nothing_stored")
NO_SUMMARIES = (
    "No summary has been written in this project yet. summarize_session writes one; mode auto searches turns and "
    "pinned memories."
)
NONE_HOLDS = (
    "Only facts that were not true at that time match. Give as_of, or since and until, of when they held; query_facts "
    "shows their history."
)
NO_SKILL = (
    "No installed skill matches. Use other words or fewer; list_skills shows what is installed, "
    "list_default_skills what can be."
)
_NOTHING_RECORDED = (
    "Nothing has been recorded in the project {project} yet. record_turn and pin_memory store memories; include "
    "searches notes, the journal, cards and events."
)


def explain_no_results(
    project: MemoryProject, mode: Mode, narrowing: HitFilters, empty: Emptiness | None, *, all_hidden: bool
) -> str:
    """Return the explanation of a search without results.

    `empty` is the reason that the search engine gives. `all_hidden`: the engine had hits, but the caller may see none
    of them, for example because they were forgotten a moment ago."""
    if all_hidden or empty is None:
        return _explain_hidden_hits(narrowing)
    if empty.reason in ("behind", "threshold"):
        return empty.text
    if mode == "skills":
        return NO_SKILL
    if not _has_any(project):
        return _NOTHING_RECORDED.format(project=project.scope.project)
    if mode == "summaries" and not has_summaries(project):
        return NO_SUMMARIES
    if empty.reason == "filters":
        return _explain_filters(empty, narrowing, mode)
    return (
        f"Nothing recorded in the project {project.scope.project} is alike. Ask in other words or in fewer, look an "
        "identifier up with search_entities, or read the latest turns with list_recent_turns."
    )


def first_reason(reasons: Iterable[Emptiness | None]) -> Emptiness | None:
    """Return the reason to report when several lists have no hits; None if there is no reason.

    A reason that the caller can act on comes first, and among equal reasons the nearest miss."""
    emptinesses = [each for each in reasons if each is not None]
    return min(
        emptinesses, key=lambda emptiness: (_ORDER.index(emptiness.reason), -(emptiness.best or 0.0)), default=None
    )


def has_summaries(project: MemoryProject) -> bool:
    """Return whether the project ever had a summary, forgotten summaries included."""
    rows = project.rows(MEMORIES)
    return any(rows.query(kind, index="gsi1", limit=1).records for kind in ("consolidated", "reflection"))


def _has_any(project: MemoryProject) -> bool:
    return len(project.searched_projects) > 1 or _remembers(project)


def _remembers(project: MemoryProject) -> bool:
    return bool(project.rows(TURNS).query(limit=1).records or project.rows(MEMORIES).query(limit=1).records)


def _explain_hidden_hits(narrowing: HitFilters) -> str:
    if narrowing.as_of is not None:
        return "Nothing alike had been recorded by as_of. Repeat the call without as_of, or with a later one."
    return "What was alike has just been forgotten. Repeat the call in other words."


def _explain_filters(empty: Emptiness, narrowing: HitFilters, mode: Mode) -> str:
    arguments = {
        _argument(name, narrowing, mode)
        for name in empty.filters
        if name != "except_ids" or narrowing.as_of is not None
    }
    if not arguments:
        return "The filters together leave nothing; other memories match. Repeat the call with fewer of them."
    names = " or ".join(sorted(arguments))
    return f"{names} leaves nothing; other memories match. Repeat the call without it, or with another value."


def _argument(name: str, narrowing: HitFilters, mode: Mode) -> str:
    if name == "except_ids" or (name == "until" and narrowing.until is None):
        return "as_of"
    if name == "kinds" and "kind" not in narrowing.filters:
        return f"mode {mode}"
    return argument_of(name)
