"""The tool that answers a question from memory, with sources."""

from collections.abc import Mapping
from typing import Annotated

from msgspec import Meta
from msgspec.structs import replace

from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.synthesis.gatherer import Mode, OtherSources
from almanac.families.memory.synthesis.models import Models
from almanac.families.memory.synthesis.passages import DocumentKind
from almanac.families.memory.synthesis.results import Synthesis
from almanac.families.memory.synthesis.synthesizer import synthesize as synthesized
from almanac.kernel.caller import Caller
from almanac.kernel.errors import InvalidInput
from almanac.kernel.owners import Data, left_out_by_key, may_see
from almanac.platform.declaration.known_facts import KnownFacts
from almanac.platform.language_model.port import ChosenModel
from almanac.platform.services import Services
from almanac.protocol.elicitation import Elicitation
from almanac.protocol.tool import Effect, tool
from almanac.search.engine.parts import IndexParts
from almanac.search.questions.port import Search

MAX_QUESTION_BYTES = 4096
_BESIDE: Mapping[Data, DocumentKind] = {"notes": "note", "journal": "journal", "cards": "card", "events": "event"}
"""Data of other families that answers may quote, and the kinds of their documents."""


@tool(title="Answer from memory", effect=Effect.READS)
def synthesize(
    query: Annotated[
        str,
        Meta(
            description="The question.",
            examples=["Why did we leave Heroku?"],
            min_length=1,
            max_length=MAX_QUESTION_BYTES,
        ),
    ],
    k: Annotated[int, Meta(description="Hits to read.", ge=1, le=50)] = 10,
    mode: Annotated[
        Mode,
        Meta(description="chunks: turns, memories and facts. auto: summaries, notes, cards, events too."),
    ] = "auto",
    *,
    memory: MemoryProject,
    caller: Caller,
    search: Search,
    chosen: ChosenModel,
    elicitation: Elicitation,
    services: Services,
) -> Synthesis:
    """Answer a question from memory in a few sentences with sources: explain what we know about a service or topic,
    what was decided and why. For the list of matches use search_memory.
    """
    question = query.strip()
    if not question or len(query.encode()) > MAX_QUESTION_BYTES:
        size = len(query.encode())
        problem = f"The query has {size} bytes, over {MAX_QUESTION_BYTES}." if question else "The query is blank."
        raise InvalidInput(problem, "Ask one question in a sentence or two.", path="query")
    models = Models(chosen.model, elicitation)
    synthesis = synthesized(memory, search, models, question, k, mode, _other_sources(services, caller))
    return replace(synthesis, notes=[*synthesis.notes, *left_out_by_key(caller.families, ("facts", *_BESIDE))])


def _other_sources(services: Services, caller: Caller) -> OtherSources:
    """Return facts and documents of other families, as far as the key may see them."""
    sources = services.get(IndexParts).sources
    kinds = {
        kind: sources[kind] for data, kind in _BESIDE.items() if may_see(caller.families, data) and kind in sources
    }
    return OtherSources(services, services.find(KnownFacts) if may_see(caller.families, "facts") else None, kinds)
