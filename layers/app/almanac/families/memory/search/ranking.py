"""Merge and reorder the hit lists of a search: by similarity, the likeliest answers of talk first, with replacements.

Scores compare hits within a profile, similarities across profiles."""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from almanac.families.memory.core.records import Memory, Turn
from almanac.families.memory.search.likely_answers import WorthOf, likeliest_first
from almanac.families.memory.search.rounds import Match

if TYPE_CHECKING:
    from almanac.families.memory.statements.classifier import Judgement

READ = 94
"""Number of hits of talk to search for. A replacement of one of the first hits, or a rule that the question seeks, may
share few words with the question. With more hits, ranking would have to judge more than its 100 candidates."""
COMPARED = 30
"""Number of hits of talk to compare with each other. Classifying a new sentence takes 0.14 ms."""
_LEADING = 2
"""Number of first hits in talk with an agent that bring the turn which replaces them."""
_MOST_REPLACEMENTS = 2
"""Most later turns that are moved up behind the turns they replace."""
_REPORTS = ("task", "fact", "done", "cause", "error")
_LEAST_SHARE = 0.5
"""Least share, from 0 to 1, that the classifier must give to the kinds of a report."""
_CHARACTERS = 2_000
_SENTENCES = 12


def merge(lists: Iterable[Sequence[Match]]) -> list[Match]:
    """Merge the lists by repeatedly taking the most similar of their first hits; each list keeps its order."""
    queues = [list(reversed(each)) for each in lists]
    merged: list[Match] = []
    while unfinished := [each for each in queues if each]:
        best = max(unfinished, key=_next_similarity)
        merged.append(best.pop())
    return merged


def _next_similarity(turned: Sequence[Match]) -> float:
    return turned[-1].hit.similarity


def with_summaries(others: Sequence[Match], summaries: Sequence[Match], limit: int) -> list[Match]:
    """Return the first `limit` hits, with summaries in the places that other hits leave free.

    A summary comes first only if it is more similar than every other hit and none of its source turns is a hit, because
    a turn says it better than its summary."""
    leading = [each for each in summaries[:1] if others and _leads(each, others)]
    rest = summaries[len(leading) :]
    ranked = [*leading, *others][:limit]
    return ranked + list(rest[: limit - len(ranked)])


def is_among_people(talk: Sequence[Match]) -> bool:
    """Return whether only people said the hits. Among themselves, people report more than they decide."""
    return not any(isinstance(each.content, Turn) and each.content.role != "user" for each in talk)


def with_replacements(
    hits: Sequence[Match], talk: Sequence[Match], replacements_of: Callable[[Turn], Sequence[Turn]] = lambda _: ()
) -> list[Match]:
    """Return the same number of hits, with later turns of `talk` moved up right behind the turns that they replace.

    At most two turns move, and only one in talk among people alone. In talk with an agent only the first two hits bring
    a later turn, because the others seldom answer the question. A replaced turn that decided something names its
    replacement in `replaced_by`. The callback `replacements_of` returns the replacements of a turn in the latest
    conversation, latest last."""
    from almanac.families.memory.candidates.later_words import find_replacing_turns, is_binding  # noqa: PLC0415 - for several turns

    by_id = {each.hit.id: each for each in talk}
    turns = [each.content for each in talk[:COMPARED] if isinstance(each.content, Turn)]
    later = find_replacing_turns(turns) if len(turns) > 1 else {}
    linked = not is_among_people(talk)
    leading = {each.hit.id for each in (hits[:_LEADING] if linked else hits)}
    queue, reordered, moved = [*hits], list[Match](), 0
    while queue and len(reordered) < len(hits):
        each = queue.pop(0)
        turn = each.content
        replacements = (
            [replacement for replacement in replacements_of(turn) if replacement.id in by_id]
            if linked and isinstance(turn, Turn)
            else []
        )
        newer = replacements[-1] if replacements else later.get(each.hit.id)
        was_binding = newer is not None and isinstance(turn, Turn) and is_binding(turn.content)
        reordered.append(replace(each, replaced_by=newer.id) if newer and was_binding else each)
        if (
            newer is None
            or each.hit.id not in leading
            or moved == (_MOST_REPLACEMENTS if linked else 1)
            or newer.id in {match.hit.id for match in reordered}
        ):
            continue
        moved += 1
        queue = [by_id[newer.id], *(match for match in queue if match.hit.id != newer.id)]
    return reordered


def in_likely_order(merged: Sequence[Match], talk: Sequence[Match], question: str, worth_of: WorthOf) -> list[Match]:
    """Return as many hits, with the likeliest answers of `talk` in the places of its hits, the likeliest first.

    Talk among people alone keeps its order."""
    if is_among_people(talk):
        return list(merged)
    by_id = {each.hit.id: each for each in talk}
    contents = {each.hit.id: each.content for each in talk if isinstance(each.content, Turn | Memory)}
    likely = (by_id[hit.id] for hit in likeliest_first([each.hit for each in talk], contents, question, worth_of))
    return [next(likely) if each.hit.id in by_id else each for each in merged]


def with_falling_scores(matches: Sequence[Match], *, by_similarity: bool) -> list[Match]:
    """Return the same hits with scores that never rise from one hit to the next, so that scores match the order."""
    ordered: list[Match] = []
    for match in matches:
        score = match.hit.similarity if by_similarity else match.hit.score
        if ordered:
            score = min(score, ordered[-1].hit.score)
        ordered.append(replace(match, hit=replace(match.hit, score=score)))
    return ordered


def makes_statement(match: Match) -> bool:
    """Return whether a person or an agent decides, requests or reports something here, rather than asks."""
    from almanac.families.memory.statements.classifier import LEAST_STATING  # noqa: PLC0415 - for what is not covered
    from almanac.families.memory.statements.sentences import is_question  # noqa: PLC0415 - as above

    content = match.content
    if not isinstance(content, Turn | Memory) or (isinstance(content, Turn) and content.role == "tool"):
        return False
    return not is_question(content.content) and any(
        judgement.stating >= LEAST_STATING or judgement.share_of(_REPORTS) >= _LEAST_SHARE
        for judgement in _classify_sentences(content.content)
    )


def _classify_sentences(text: str) -> "list[Judgement]":
    from almanac.families.memory.statements.classifier import classify  # noqa: PLC0415 - for talk with agents
    from almanac.families.memory.statements.sentences import sentences_of  # noqa: PLC0415 - as above

    return [classify(sentence) for sentence in sentences_of(text[:_CHARACTERS])[:_SENTENCES]]


def _leads(summary: Match, others: Sequence[Match]) -> bool:
    content = summary.content
    made_of = set(content.derived_from) if isinstance(content, Memory) else set[str]()
    is_most_alike = all(summary.hit.similarity > each.hit.similarity for each in others)
    return is_most_alike and made_of.isdisjoint(each.hit.id for each in others)
