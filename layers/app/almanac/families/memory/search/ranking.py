"""Merge and reorder the hit lists of a search: by similarity, without small talk, with replacements and near turns.

Scores compare hits within a profile, similarities across profiles."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from msgspec.structs import replace

from almanac.families.memory.core.records import Memory, Turn
from almanac.families.memory.search.rounds import Match
from almanac.families.memory.statements.words import words_of
from almanac.search.questions.port import Hit

if TYPE_CHECKING:
    from almanac.families.memory.statements.classifier import Judgement

READ = 94
"""Number of hits of talk to search for. A replacement of one of the first hits, or a rule that the question seeks, may
share few words with the question. With more hits, ranking would have to judge more than its 100 candidates."""
COMPARED = 30
"""Number of hits of talk to compare with each other. Classifying a new sentence takes 0.14 ms."""
_KEPT = 2
"""Number of first hits that stay before near statements."""
_MOST_NEAR = 3
_TURNS_BEFORE = 8
_OF_NEXT = 0.9
"""Factor by which a turn's nearness counts for each next turn of its session."""
_BEFORE, _BY_SCORE, _CURRENT, _RULE = 0.6, 0.45, 0.2, 0.25
"""Weights of the nearness of earlier turns, of the search score, of statements that still hold, and of rules of the
form that the question seeks. The weight of a turn's own nearness is 1."""
NEAR_AS_RULE = 0.1
"""Nearness that is added to a turn that states such a rule, before it is compared with the least nearness."""
_MOST_REPLACEMENTS = 2
"""Most later turns that are moved up behind the turns they replace."""
_NEAR = 0.15
"""Least nearness of a turn, or of the turns before it, to the question. Talk about other subjects rarely reaches it."""
_REPORTS = ("task", "fact", "done", "cause", "error")
_LEAST_SHARE = 0.5
"""Least share, from 0 to 1, that the classifier must give to the kind filler, or to a kind of report."""
_CHARACTERS = 2_000
_SENTENCES = 12
_SMALL = 4
"""Most meaningful words of small talk. The classifier takes some longer statements for filler."""


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


def small_talk_last(talk: Sequence[Match], question: str) -> Sequence[Match]:
    """Return the same hits with small talk ("thanks", "let me check") moved to the end.

    Small talk itself answers nothing. It scores by the words of the turns around it. Hits keep their order in talk
    among people alone, and if the question itself is small talk."""
    if is_among_people(talk) or _is_filler(question):
        return talk
    idle = {each.hit.id for each in talk if _is_small_talk(each)}
    return [*(each for each in talk if each.hit.id not in idle), *(each for each in talk if each.hit.id in idle)]


def is_among_people(talk: Sequence[Match]) -> bool:
    """Return whether only people said the hits. Among themselves, people report more than they decide."""
    return not any(isinstance(each.content, Turn) and each.content.role != "user" for each in talk)


def with_replacements(
    hits: Sequence[Match], talk: Sequence[Match], replacements_of: Callable[[Turn], Sequence[Turn]] = lambda _: ()
) -> list[Match]:
    """Return the same number of hits, with later turns of `talk` moved up right behind the turns that they replace.

    At most two turns move, and only one in talk among people alone. A replaced turn that decided something names its
    replacement in `replaced_by`. The callback `replacements_of` returns the replacements of a turn in the latest
    conversation, latest last."""
    from almanac.families.memory.candidates.later_words import find_replacing_turns, is_binding  # noqa: PLC0415 - for several turns

    by_id = {each.hit.id: each for each in talk}
    turns = [each.content for each in talk[:COMPARED] if isinstance(each.content, Turn)]
    later = find_replacing_turns(turns) if len(turns) > 1 else {}
    linked = not is_among_people(talk)
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
            or moved == (_MOST_REPLACEMENTS if linked else 1)
            or newer.id in {match.hit.id for match in reordered}
        ):
            continue
        moved += 1
        queue = [replace(by_id[newer.id], replaces=True), *(match for match in queue if match.hit.id != newer.id)]
    return reordered


def near_statements(
    talk: Sequence[Match], holds: Callable[[Turn], bool] = lambda _: False, question: str = ""
) -> Iterator[Match]:
    """Yield the statements whose whole turns are near to the question, the likeliest answers first.

    Ranking by words misses them if they answer in quite different words."""
    by_id = {each.hit.id: each for each in talk}
    turns = {each.hit.id: each.content for each in talk if isinstance(each.content, Turn)}
    near = near_in_talk([each.hit for each in talk], turns, holds, question)
    return (by_id[hit.id] for hit in near if _makes_statement(by_id[hit.id]))


def near_in_talk(
    hits: Sequence[Hit],
    turns: Mapping[str, Turn],
    holds: Callable[[Turn], bool] = lambda _: False,
    question: str = "",
) -> list[Hit]:
    """Return the hits whose whole turns are near to the question, the likeliest answers first. `turns` has turns by id.

    The nearness of the turns before a hit counts too, because a terse answer has no word of its question: "14, and keep
    it dry". A turn that `holds` accepts counts more, and so does a rule of the form that the question seeks."""
    from almanac.families.memory.search.sought_rules import rule_judge  # noqa: PLC0415 - for what is not covered

    probability_of_rule = rule_judge(question)
    candidates = [(hit, turns.get(hit.id)) for hit in hits]
    wholes = {(turn.session, turn.position): hit.whole for hit, turn in candidates if turn is not None}
    best = max((hit.score for hit in hits), default=0.0) or 1.0
    near: list[tuple[float, int, Hit]] = []
    for place, (hit, turn) in enumerate(candidates):
        before = 0.0 if turn is None else _nearness_before(turn, wholes)
        rule = probability_of_rule(turn.content) if probability_of_rule is not None and turn is not None else 0.0
        if max(hit.whole, before) + NEAR_AS_RULE * rule >= _NEAR:
            is_current = turn is not None and holds(turn)
            score = hit.whole + _BEFORE * before + _BY_SCORE * hit.score / best + _CURRENT * is_current + _RULE * rule
            near.append((score, -place, hit))
    return [hit for *_, hit in sorted(near, key=lambda entry: entry[:2], reverse=True)]


def _nearness_before(turn: Turn, wholes: Mapping[tuple[str | None, int | None], float]) -> float:
    """Return the greatest nearness among the turns before in the same session. It counts less the further back the turn
    is."""
    if turn.session is None or turn.position is None:
        return 0.0
    before = (wholes.get((turn.session, turn.position - back), 0.0) for back in range(1, _TURNS_BEFORE + 1))
    return max(0.0, *(nearness * _OF_NEXT**back for back, nearness in enumerate(before)))


def with_near_statements(
    hits: Sequence[Match], talk: Sequence[Match], holds: Callable[[Turn], bool] = lambda _: False, question: str = ""
) -> list[Match]:
    """Return the same number of hits, with up to three near statements of `talk` right behind the first two hits.

    Replacements that `with_replacements` moved behind these two stay before the near statements. The last hits make
    room: other hits first, then replacements, but never the first hit. Talk among people alone stays as it is."""
    if len(hits) <= _KEPT or is_among_people(talk):
        return list(hits)
    place = next((at for at in range(_KEPT, len(hits)) if not hits[at].replaces), len(hits))
    first = {each.hit.id for each in hits[:place]}
    others = (each for each in near_statements(talk, holds, question) if each.hit.id not in first)
    moved = {each.hit.id: each for each in islice(others, min(_MOST_NEAR, len(hits) - _KEPT))}
    joined = [*hits[:place], *moved.values(), *(each for each in hits[place:] if each.hit.id not in moved)]
    while len(joined) > len(hits):
        spare = [at for at, each in enumerate(joined) if at and each.hit.id not in moved]
        del joined[max(spare, key=lambda at: (not joined[at].replaces, at))]
    return joined


def with_falling_scores(matches: Sequence[Match], *, by_similarity: bool) -> list[Match]:
    """Return the same hits with scores that never rise from one hit to the next, so that scores match the order."""
    ordered: list[Match] = []
    for match in matches:
        score = match.hit.similarity if by_similarity else match.hit.score
        if ordered:
            score = min(score, ordered[-1].hit.score)
        ordered.append(replace(match, hit=replace(match.hit, score=score)))
    return ordered


def _makes_statement(match: Match) -> bool:
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


def _is_small_talk(match: Match) -> bool:
    """Return whether a person's or an agent's turn holds nothing but small talk: "ok", "thanks", "let me check"."""
    content = match.content
    if not isinstance(content, Turn) or content.role == "tool":
        return False
    return len(words_of(content.content[:_CHARACTERS])) <= _SMALL and _is_filler(content.content)


def _is_filler(text: str) -> bool:
    kinds = _sentence_kinds(text)
    return bool(kinds) and all(kind == "filler" for kind in kinds)


def _sentence_kinds(text: str) -> list[str]:
    """Return the kinds of the sentences of a text. Filler counts as "unclear" if the classifier is not sure of it."""
    judgements = _classify_sentences(text)
    return [
        "unclear" if judgement.kind == "filler" and judgement.share < _LEAST_SHARE else judgement.kind
        for judgement in judgements
    ]


def _classify_sentences(text: str) -> "list[Judgement]":
    from almanac.families.memory.statements.classifier import classify  # noqa: PLC0415 - for talk with agents
    from almanac.families.memory.statements.sentences import sentences_of  # noqa: PLC0415 - as above

    return [classify(sentence) for sentence in sentences_of(text[:_CHARACTERS])[:_SENTENCES]]


def _leads(summary: Match, others: Sequence[Match]) -> bool:
    content = summary.content
    made_of = set(content.derived_from) if isinstance(content, Memory) else set[str]()
    is_most_alike = all(summary.hit.similarity > each.hit.similarity for each in others)
    return is_most_alike and made_of.isdisjoint(each.hit.id for each in others)
