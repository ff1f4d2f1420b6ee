"""The tool that recalls memories."""

from typing import Annotated

from msgspec import Meta

from almanac.families.context.core.context import Context
from almanac.families.context.recall.layer_search import recall
from almanac.families.context.recall.recall_query import Mode, RecallFilter, read_recall_query
from almanac.families.context.recall.results import RecallResults
from almanac.protocol.tool import Effect, tool
from almanac.search.questions.port import Search

Query = Annotated[
    str,
    Meta(
        description="A question, words, or an identifier.",
        examples=["authentication error handling"],
        min_length=1,
        max_length=16_000,
    ),
]
SessionId = Annotated[str, Meta(description="Session identifier.", min_length=1, max_length=200)]


@tool(title="Recall from all layers", effect=Effect.READS, naming="camel", aliases=["context.recall"])
def context_recall(
    query: Query,
    session_id: Annotated[SessionId | None, Meta(description="Leave out working memories of other sessions.")] = None,
    limit: Annotated[int, Meta(description="Most results.", ge=1, le=100)] = 10,
    threshold: Annotated[float, Meta(description="Lowest similarity; a lower one finds more.", ge=0, le=1)] = 0.7,
    mode: Annotated[Mode, Meta(description="hybrid: words and meaning; semantic; keyword.")] = "hybrid",
    filter: RecallFilter | None = None,
    *,
    context: Context,
    search: Search,
) -> RecallResults:
    """Recall stored decisions, code patterns and bug fixes from the memories of all layers, this project and others:
    what do we remember about a topic, how was a similar error or problem fixed before? To search conversations too use
    search_memory.
    """
    asked = read_recall_query(
        context,
        query,
        mode=mode,
        limit=limit,
        threshold=threshold,
        session=session_id,
        narrowed=filter or RecallFilter(),
    )
    return recall(context, search, asked)
