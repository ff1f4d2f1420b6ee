"""The tool that looks up entities named in turns."""

from typing import Annotated

from msgspec import Meta

from almanac.content.entities import Kind
from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.entities.lookup import EntityLookup
from almanac.families.memory.entities.query_entities import forms_of
from almanac.families.memory.entities.results import Entities, entity_view
from almanac.kernel.errors import InvalidInput
from almanac.protocol.tool import Effect, tool


@tool(title="Look up a file, symbol, error code or command", effect=Effect.READS)
def search_entities(
    query: Annotated[
        str,
        Meta(
            description="The name, or how it begins.",
            examples=["src/auth.py", "TS2345"],
            min_length=1,
            max_length=4000,
        ),
    ],
    kinds: Annotated[list[Kind], Meta(description="Only these kinds.", max_length=6)] | None = None,
    k: Annotated[int, Meta(description="Maximum number.", ge=1, le=100)] = 10,
    *,
    project: MemoryProject,
) -> Entities:
    """Look up where a file, symbol, function, error code, command or URL was mentioned: which turns name src/auth.py,
    has anybody seen error TS2345, and how often? For sentences or meaning use search_memory.
    """
    forms = forms_of(query)
    if forms is None:
        raise InvalidInput("query is blank.", "Give a file, symbol, error code or command.", path="query")
    lookup = EntityLookup(project)
    result = lookup.find(forms, kinds or (), k)
    views = tuple(map(entity_view, result.entities))
    return Entities(views, result.more, bool(views), None if views else _why_empty(project, lookup, kinds))


def _why_empty(project: MemoryProject, lookup: EntityLookup, kinds: list[Kind] | None) -> str:
    if lookup.is_empty():
        return f"No turn of the project {project.scope.project} names a file, symbol, error code or command yet."
    if kinds:
        return "Nothing of these kinds has such a name. Repeat the call without kinds, or ask search_memory."
    return "Nothing has such a name. Give only the beginning of it, or ask search_memory in words."
