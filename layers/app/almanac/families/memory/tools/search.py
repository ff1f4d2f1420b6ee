"""The tool that searches memory."""

from functools import partial
from typing import Annotated, Any

from msgspec import Meta
from msgspec.structs import replace

from almanac.content import clean
from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import Role
from almanac.families.memory.core.times import Moment, instant_of, optional_instant
from almanac.families.memory.memories.recall_effects import READ, note_recall
from almanac.families.memory.memories.salience import salience_at
from almanac.families.memory.search.entity_hits import entity_hits
from almanac.families.memory.search.filters import HitFilters
from almanac.families.memory.search.kinds import OUTSIDE, Included, Mode
from almanac.families.memory.search.memory_search import MemoryQuery, MemorySearch
from almanac.families.memory.search.relative_days import relative_days_in
from almanac.families.memory.search.results import Hits
from almanac.kernel.caller import Caller
from almanac.kernel.errors import Forbidden, InvalidInput
from almanac.kernel.owners import left_out_by_key, may_see
from almanac.platform.services import Services
from almanac.protocol.tool import Effect, tool
from almanac.search.engine.parts import IndexParts
from almanac.search.port import Fusion
from almanac.search.questions.port import Search
from almanac.search.source import Source

Query = Annotated[
    str,
    Meta(
        description="A question, or words.",
        examples=["what did we decide about retries"],
        min_length=1,
        max_length=4000,
    ),
]
Name = Annotated[str, Meta(min_length=1, max_length=256)]


@tool(title="Search memory", effect=Effect.READS)
def search_memory(
    query: Query,
    k: Annotated[int, Meta(description="Maximum number.", ge=1, le=100)] = 10,
    session_id: Annotated[Name | None, Meta(description="Only from this session.")] = None,
    mode: Annotated[
        Mode,
        Meta(description="auto: turns, memories, summaries. chunks: no summaries."),
    ] = "auto",
    filters: Annotated[
        dict[str, Any],
        Meta(
            description="Metadata values that must be equal; also kind, tags, role, speaker.",
            examples=[{"team": "platform"}],
            max_length=24,
        ),
    ]
    | None = None,
    actor: Annotated[Name | None, Meta(description="Only by this actor.")] = None,
    tool: Annotated[Name | None, Meta(description="Only from this tool.")] = None,
    since: Annotated[Moment | None, Meta(description='From: ms since 1970, or "yesterday".')] = None,
    until: Annotated[Moment | None, Meta(description="Until, likewise; excluded.")] = None,
    role: Annotated[Role | None, Meta(description="Only turns of this role.")] = None,
    context: Annotated[int, Meta(description="Turns shown before and after each hit.", ge=0, le=6)] = 0,
    include: Annotated[list[Included], Meta(description="What else to search.", max_length=8)] = [],  # noqa: B006
    threshold: Annotated[float, Meta(description="Lowest similarity.", ge=0, le=1)] | None = None,
    fusion: Annotated[Fusion, Meta(description="How word and meaning scores are combined.")] = "sum",
    explain: Annotated[bool, Meta(description="Explain why each matched.")] = False,
    as_of: Annotated[Moment | None, Meta(description="Only what was recorded by then.")] = None,
    *,
    project: MemoryProject,
    caller: Caller,
    search: Search,
    services: Services,
) -> Hits:
    """Search all memory by words or meaning: what did we say or decide about a topic last month, why did we choose
    something, do we remember what we talked about, in conversations, memories and summaries? For only stored decisions
    and fixes use context_recall.
    """
    text = clean(query).text.strip()
    if not text:
        raise InvalidInput("query is blank.", "Write the words or the question to search for.", path="query")
    _check_mode(mode, include, as_of)
    if mode in ("code", "skills") and not may_see(caller.families, mode):
        raise Forbidden(
            f"This API key may not search {mode}: that needs the family {mode}.", "Use mode auto, or another key."
        )
    if mode == "entities":
        return entity_hits(project, text, k, threshold)
    is_outside = mode in OUTSIDE
    moment = partial(optional_instant, project)
    narrowing = HitFilters(
        session=session_id,
        actor=None if is_outside else actor,
        tool=None if is_outside else tool,
        role=role,
        since=None if is_outside else moment(since, "since"),
        until=None if is_outside else moment(until, "until", ends=True),
        as_of=moment(as_of, "as_of", ends=True),
        filters=filters or {},
    )
    memory_query = MemoryQuery(
        text=text,
        k=k,
        mode=mode,
        narrowing=narrowing,
        include=[mode] if mode in ("code", "skills") else [name for name in include if may_see(caller.families, name)],
        around=context,
        threshold=threshold,
        fusion=fusion,
        explain=explain,
        dates=relative_days_in(text, lambda words, edge: instant_of(project, words, "query", ends=edge == "end")),
    )
    sources = services.get(IndexParts).sources if memory_query.include else dict[str, Source]()
    now = project.now()
    hits = MemorySearch(project, search, services, sources, lambda memory: salience_at(memory, now)).hits(memory_query)
    recalled = [each for each in hits.hits[:READ] if each.salience is not None]
    note_recall(project, [each.id for each in recalled if not each.shared])
    if project.shared is not None:
        note_recall(project.shared, [each.id for each in recalled if each.shared])
    return replace(hits, notes=(*left_out_by_key(caller.families, include), *hits.notes))


def _check_mode(mode: Mode, include: list[Included], as_of: int | str | None) -> None:
    if include and mode not in ("auto", "chunks", "summaries"):
        raise InvalidInput(
            f"include does not go with mode {mode}.", "Use mode auto, chunks or summaries.", path="include"
        )
    if as_of is not None and mode == "entities":
        raise InvalidInput("as_of does not go with mode entities.", "Leave one of them out.", path="as_of")
