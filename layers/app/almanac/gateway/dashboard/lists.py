"""Pages with a table of a list tool's rows. All share one view."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from almanac.gateway.dashboard.tools import Result
from almanac.gateway.dashboard.visit import View, Visit


@dataclass(frozen=True)
class DashboardList:
    """One table. `rows` is the field of the tool's result with the rows, `columns` maps their fields to headings, and
    `said` describes the table. `words` is the argument for search words, if the tool has one."""

    tool: str
    title: str
    said: str
    rows: str
    columns: Mapping[str, str]
    instants: frozenset[str] = frozenset()
    words: str | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])
    command: str = ""
    removes: tuple[str, str, str] | None = None
    """A tool that removes a row, its argument, and the row's field to pass."""


LISTINGS: Mapping[str, DashboardList] = {
    "/ui/notes": DashboardList(
        "notes_search",
        "Notes",
        "Notes of people and agents.",
        "notes",
        {"title": "Title", "excerpt": "Text", "tags": "Tags", "updatedAt": "Changed"},
        frozenset({"updatedAt"}),
        "q",
        removes=("notes_delete", "noteId", "id"),
    ),
    "/ui/journal": DashboardList(
        "journal_list",
        "Journal",
        "What was written down of each day.",
        "entries",
        {"date": "Day", "title": "Title", "excerpt": "Text", "mood": "Mood"},
        words="q",
        removes=("journal_delete", "entryId", "id"),
    ),
    "/ui/code": DashboardList(
        "list_files",
        "Code",
        "Repositories whose code agents can search. To read a working tree:",
        "repositories",
        {"repo_id": "Repository", "files": "Files", "failed": "Not read", "commit": "Commit", "indexed_at": "Read"},
        frozenset({"indexed_at"}),
        command="almanac code index",
        removes=("remove_repository", "repo_id", "repo_id"),
    ),
    "/ui/skills": DashboardList(
        "list_skills",
        "Skills",
        "Playbooks that agents can load.",
        "skills",
        {"name": "Name", "description": "What for", "version": "Version", "trusted": "Trusted", "installed_by": "By"},
        removes=("remove_skill", "name", "name"),
    ),
    "/ui/redactions": DashboardList(
        "list_redactions",
        "Redactions",
        "Secrets that were taken out of texts before they were stored. The secrets themselves are nowhere.",
        "redactions",
        {"at": "When", "where": "Where", "kinds": "What", "status": "Status", "actor": "By", "item_id": "Item"},
        frozenset({"at"}),
    ),
    "/ui/rules": DashboardList(
        "list_rules",
        "Rules",
        "What happens by itself in this project.",
        "rules",
        {
            "name": "Name",
            "on_kind": "On",
            "on_schedule": "Schedule",
            "next_at": "Next",
            "enabled": "On duty",
            "fired": "Fired",
            "last_fired_at": "Last",
            "last_error": "Error",
        },
        frozenset({"last_fired_at", "next_at"}),
        removes=("remove_rule", "name", "name"),
    ),
}


def list_page(shown: DashboardList) -> Callable[[Visit], View]:
    def page(visit: Visit) -> View:
        arguments = dict(shown.arguments)
        if shown.words and visit.query_value("q"):
            arguments[shown.words] = visit.query_value("q")
        if visit.query_value("cursor"):
            arguments["cursor"] = visit.query_value("cursor")
        result = visit.tools.call(shown.tool, **arguments)
        values: dict[str, Any] = {
            "shown": shown,
            "result": result,
            "rows": result.fields.get(shown.rows) or [],
            "following": result.fields.get("next_cursor") or result.fields.get("nextCursor"),
            "empty": _why_empty(result),
            "asked": visit.query_value("q"),
        }
        return View("list.html", shown.title, values)

    return page


def _why_empty(result: Result) -> str:
    search = Result(result.fields.get("search")).fields
    return str(result.fields.get("empty") or result.fields.get("empty_because") or search.get("emptyBecause") or "")
