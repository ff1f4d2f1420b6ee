"""The tool that finds facts that contradict each other."""

from collections.abc import Sequence
from datetime import UTC
from itertools import islice
from typing import Annotated, Literal

from msgspec import Meta, Struct

from almanac.content import clean
from almanac.families.knowledge.contradictions.contradiction_edges import MOST_FACTS, find_stated_pairs
from almanac.families.knowledge.contradictions.events import tell
from almanac.families.knowledge.contradictions.explanations import quote
from almanac.families.knowledge.contradictions.model_judge import JudgedPairs, judge_doubtful
from almanac.families.knowledge.contradictions.pairs import Pair
from almanac.families.knowledge.contradictions.results import Contradictions, view_of
from almanac.families.knowledge.contradictions.scan import (
    WINDOW,
    Position,
    ScanPage,
    ScanRequest,
    position_of,
    position_text,
    scan,
)
from almanac.families.knowledge.core.knowledge import Knowledge, SubjectAliases
from almanac.families.knowledge.core.names import name_key, tidy_name
from almanac.families.knowledge.core.records import FACTS
from almanac.families.memory.edges.records import EDGES
from almanac.families.memory.synthesis.models import Models
from almanac.families.time.core.zones import find_zone
from almanac.kernel.errors import InvalidInput
from almanac.platform.language_model.port import ChosenModel
from almanac.protocol.elicitation import Elicitation
from almanac.protocol.tool import Effect, tool

_MOST_NAMES = 5
_STATED = "stated:"
"""Prefix of a cursor in the page of stated contradictions, before the number of pairs already shown."""


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
    aliases: SubjectAliases,
    chosen: ChosenModel,
    elicitation: Elicitation,
) -> Contradictions:
    """Find conflicts and contradictions in what we know: do any facts of the knowledge graph disagree or cannot both
    be true, about one subject or all? To settle one use invalidate_fact.
    """
    key = name_key(tidy_name(subject)) if subject is not None else None
    if key == "":
        raise InvalidInput("The subject is blank.", "Name it as in the facts, or leave it out.", path="subject")
    cursors = knowledge.cursors
    query = ("contradictions", key, all_times)
    text = cursors.start_of(query, cursor, _STATED)
    stated = _Stated()
    if text.startswith(_STATED):
        stated = _stated_contradictions(knowledge, key, all_times=all_times)
        stated = _Stated(stated.pairs, (*_names(knowledge, aliases, subject, key), *stated.notes))
    begun = int(text.removeprefix(_STATED) or 0) if text.startswith(_STATED) else 0
    shown = stated.pairs[begun : begun + limit]
    if len(shown) == limit:
        page, following = ScanPage((), 0, Position()), f"{_STATED}{begun + limit}"
    else:
        start = Position() if text.startswith(_STATED) else position_of(text)
        page = scan(knowledge, ScanRequest(key, limit - len(shown), all_times), start)
        following = None if page.next_position is None else position_text(page.next_position)
    zone = find_zone(knowledge.memory.zone) if knowledge.memory.zone else UTC
    models = Models(chosen.model, elicitation)
    pairs = [*shown, *page.pairs]
    found = judge_doubtful(models, pairs, zone) if judge == "auto" else JudgedPairs(pairs)
    tell(knowledge, found.pairs)
    return Contradictions(
        contradictions=tuple(view_of(pair, found, zone) for pair in found.pairs),
        scanned=page.facts,
        more=following is not None,
        judged_by=found.judge,
        untrusted=True,
        next_cursor=cursors.seal(query, following) if following is not None else None,
        reached=_next_subject(page.next_position, key),
        dismissed=found.dismissed,
        notes=(*found.notes, *_parts_note(len(page.parted)), *stated.notes),
    )


class _Stated(Struct, frozen=True):
    pairs: Sequence[Pair] = ()
    notes: Sequence[str] = ()


def _stated_contradictions(knowledge: Knowledge, subject: str | None, *, all_times: bool) -> _Stated:
    """Return the stated contradictions of the first facts of a subject, or of all."""
    rows = knowledge.rows(FACTS)
    facts = list(islice(rows.every() if subject is None else rows.every(subject), MOST_FACTS + 1))
    cut = f"Stated contradictions are those of the first {MOST_FACTS} facts: name a subject for others."
    now = knowledge.now()
    found = find_stated_pairs(knowledge.store, knowledge.scope, [fact.id for fact in facts], MOST_FACTS)
    held = [pair for pair in found if all_times or (pair.one.holding.at(now) and pair.other.holding.at(now))]
    return _Stated(held, (cut,) if len(facts) > MOST_FACTS else ())


def _names(knowledge: Knowledge, aliases: SubjectAliases, subject: str | None, key: str | None) -> Sequence[str]:
    """Return a note with the other names of the subject."""
    rows, node = knowledge.rows(EDGES), f"subject:{key}"
    ways = (rows.query(node, "same_as", limit=1), rows.query(node, "same_as", index="gsi1", limit=1))
    names = aliases.of(subject) if subject is not None and any(way.records for way in ways) else ()
    if not names:
        return ()
    also = ", ".join(quote(name) for name in names[:_MOST_NAMES])
    return (f"same_as joins this subject with {also}: ask for each, since facts are compared within a name.",)


def _next_subject(following: Position | None, subject: str | None) -> str | None:
    return None if following is None or subject is not None else clean(following.subject).text


def _parts_note(count: int) -> list[str]:
    if not count:
        return []
    subjects = "One subject has" if count == 1 else f"{count} subjects have"
    return [f"{subjects} over {WINDOW} facts: predicates that say no to each other were compared in parts of that."]
