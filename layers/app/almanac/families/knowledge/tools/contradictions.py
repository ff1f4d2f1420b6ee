"""Facts that cannot both hold."""

from datetime import UTC
from typing import Annotated, Literal

from msgspec import Meta

from almanac.content import clean
from almanac.families.knowledge.contradictions.judging import Judged, judged
from almanac.families.knowledge.contradictions.results import Contradictions, view_of
from almanac.families.knowledge.contradictions.scanning import WINDOW, Asked, Position, position_of, scan, written
from almanac.families.knowledge.contradictions.telling import tell
from almanac.families.knowledge.core.knowledge import Knowledge
from almanac.families.knowledge.core.names import name_key, tidied
from almanac.families.memory.synthesis.models import Models
from almanac.families.time.core.zones import find_zone
from almanac.kernel.errors import InvalidInput
from almanac.platform.language_model.port import ChosenModel
from almanac.protocol.elicitation import Elicitation
from almanac.protocol.tool import Effect, tool


@tool(title="Find contradictions", effect=Effect.READS)
def detect_contradictions(
    subject: Annotated[
        str, Meta(description="Only facts about this subject.", examples=["Ann"], min_length=1, max_length=500)
    ]
    | None = None,
    limit: Annotated[int, Meta(description="Pairs in one answer.", ge=1, le=50)] = 10,
    cursor: Annotated[str, Meta(description="The last next_cursor.", min_length=1, max_length=4000)] | None = None,
    judge: Annotated[
        Literal["auto", "rules"],
        Meta(description="auto: a language model, if set, judges doubtful pairs."),
    ] = "auto",
    all_times: Annotated[bool, Meta(description="Also pairs that held in the past, or will.")] = False,
    *,
    knowledge: Knowledge,
    chosen: ChosenModel,
    elicitation: Elicitation,
) -> Contradictions:
    """Find contradictions in the knowledge graph: do any of our facts contradict each other, conflict, disagree or
    cannot both be true, about one subject or all? To settle one use invalidate_fact.
    """
    key = name_key(tidied(subject)) if subject is not None else None
    if key == "":
        raise InvalidInput("The subject is blank.", "Name it as in the facts, or leave it out.", path="subject")
    cursors = knowledge.cursors
    query = ("contradictions", key, all_times)
    page = scan(knowledge, Asked(key, limit, all_times), position_of(cursors.start_of(query, cursor, "")))
    zone = find_zone(knowledge.memory.zone) if knowledge.memory.zone else UTC
    models = Models(chosen.model, elicitation)
    found = judged(models, page.pairs, zone) if judge == "auto" else Judged(page.pairs)
    tell(knowledge, found.pairs)
    following = page.following
    return Contradictions(
        contradictions=tuple(view_of(pair, found, zone) for pair in found.pairs),
        scanned=page.facts,
        more=following is not None,
        judged_by=found.judge,
        untrusted=True,
        next_cursor=cursors.seal(query, written(following)) if following is not None else None,
        reached=_reached(following, key),
        dismissed=found.dismissed,
        notes=(*found.notes, *_parted(len(page.parted))),
    )


def _reached(following: Position | None, subject: str | None) -> str | None:
    return None if following is None or subject is not None else clean(following.subject).text


def _parted(count: int) -> list[str]:
    if not count:
        return []
    subjects = "One subject has" if count == 1 else f"{count} subjects have"
    return [f"{subjects} over {WINDOW} facts: predicates that say no to each other were compared in parts of that."]
