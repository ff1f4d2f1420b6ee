"""Merge hit lists of several profiles into one. Scores compare hits within a profile, similarities across profiles."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from msgspec.structs import replace

from almanac.families.memory.core.records import Memory, Turn
from almanac.families.memory.search.rounds import Match
from almanac.search.questions.port import Hit

if TYPE_CHECKING:
    from almanac.families.memory.statements.classifier import Judgement

READ = 60
"""Hits of talk that are read. A turn that replaced one of the first hits may share few words with the question."""
COMPARED = 30
"""Hits of talk that are compared with each other. Judging a sentence for the first time takes 0.14 ms."""
_KEPT = 2
"""Number of first hits that stay before near statements."""
_MOST_NEAR = 3
_TURNS_BEFORE = 8
_OF_NEXT = 0.9
"""Share of a turn's nearness that counts for the next turn of its session, and of that for the one after it."""
_BEFORE, _BY_SCORE, _CURRENT = 0.6, 0.45, 0.2
"""Weights of the nearness of turns before, of the score of the search, and of what still holds. A turn's own nearness
counts 1."""
_MOST_BROUGHT = 2
"""Most later turns that are moved up behind the turns they replace."""
_NEAR = 0.15
"""Least nearness of a turn, or of those before it, to the question. Talk about something else seldom reaches it."""
_REPORTS = ("task", "fact", "done", "cause", "error")
_LEAST_SHARE = 0.5
"""Least share, from 0 to 1, that the classifier must give to the kind filler, or to a kind of report."""
_CHARACTERS = 2_000
_SENTENCES = 12


def merged(lists: Iterable[Sequence[Match]]) -> list[Match]:
    """Merge the lists by repeatedly taking the most similar of their first hits; each list keeps its order."""
    left = [list(reversed(each)) for each in lists]
    found: list[Match] = []
    while some := [each for each in left if each]:
        best = max(some, key=_next_similarity)
        found.append(best.pop())
    return found


def _next_similarity(turned: Sequence[Match]) -> float:
    return turned[-1].hit.similarity


def with_summaries(others: Sequence[Match], summaries: Sequence[Match], wanted: int) -> list[Match]:
    """Fill the places that are left with summaries.

    A summary comes first only if it is more similar than every other hit and none of its source turns is a hit, because
    a turn says it better than a summary made of it."""
    leading = [each for each in summaries[:1] if others and _leads(each, others)]
    rest = summaries[len(leading) :]
    kept = [*leading, *others][:wanted]
    return kept + list(rest[: wanted - len(kept)])


def telling_first(talk: Sequence[Match], question: str) -> Sequence[Match]:
    """Return the same hits with small talk ("thanks", "let me check") moved to the end.

    Only the words around small talk are similar to the question. Talk among people alone keeps its order. So do all
    hits if the question itself is small talk."""
    if is_of_people(talk) or _is_filler(question):
        return talk
    idle = {each.hit.id for each in talk if _is_small_talk(each)}
    return [*(each for each in talk if each.hit.id not in idle), *(each for each in talk if each.hit.id in idle)]


def is_of_people(talk: Sequence[Match]) -> bool:
    """Return whether no agent or program said any of the hits. People among themselves tell more than they state."""
    return not any(isinstance(each.content, Turn) and each.content.role != "user" for each in talk)


def with_later_words(
    found: Sequence[Match], talk: Sequence[Match], replaced: Callable[[Turn], Sequence[Turn]] = lambda _: ()
) -> list[Match]:
    """Move a later turn of `talk` up right behind the turn that it replaces.

    This is done for the first two replaced turns, or only for the first in talk among people alone. A replaced turn
    that decided something names its replacement in `replaced_by`. The callback `replaced` returns the turns that
    replaced a turn, latest last, as far as the latest conversation shows it."""
    from almanac.families.memory.candidates.later_words import binds, later_words  # noqa: PLC0415 - for several turns

    by_id = {each.hit.id: each for each in talk}
    turns = [each.content for each in talk[:COMPARED] if isinstance(each.content, Turn)]
    later = later_words(turns) if len(turns) > 1 else {}
    linked = not is_of_people(talk)
    left, shown, brought = [*found], list[Match](), 0
    while left and len(shown) < len(found):
        each = left.pop(0)
        turn = each.content
        known = [one for one in replaced(turn) if one.id in by_id] if linked and isinstance(turn, Turn) else []
        newer = known[-1] if known else later.get(each.hit.id)
        named = newer is not None and isinstance(turn, Turn) and binds(turn.content)
        shown.append(replace(each, replaced_by=newer.id) if newer and named else each)
        if newer is None or brought == (_MOST_BROUGHT if linked else 1) or newer.id in {one.hit.id for one in shown}:
            continue
        brought += 1
        left = [replace(by_id[newer.id], replaces=True), *(one for one in left if one.hit.id != newer.id)]
    return shown


def near_statements(talk: Sequence[Match], holds: Callable[[Turn], bool] = lambda _: False) -> Iterator[Match]:
    """Yield the matches that state something and are near to the question as wholes, the likeliest answers first.

    Ranking by words misses them if they answer in quite different words."""
    by_id = {each.hit.id: each for each in talk}
    turns = {each.hit.id: each.content for each in talk if isinstance(each.content, Turn)}
    near = near_in_talk([each.hit for each in talk], turns, holds)
    return (by_id[hit.id] for hit in near if _states(by_id[hit.id]))


def near_in_talk(
    hits: Sequence[Hit], turns: Mapping[str, Turn], holds: Callable[[Turn], bool] = lambda _: False
) -> list[Hit]:
    """Return the hits that are near to the question as wholes, the likeliest answers first. `turns` has turns by id.

    The turns before a hit count too, because a terse answer has none of the words of what it answers: "14, and keep
    it dry". So does whether `holds` accepts its turn."""
    known = [(hit, turns.get(hit.id)) for hit in hits]
    wholes = {(turn.session, turn.position): hit.whole for hit, turn in known if turn is not None}
    best = max((hit.score for hit in hits), default=0.0) or 1.0
    near: list[tuple[float, int, Hit]] = []
    for place, (hit, turn) in enumerate(known):
        before = 0.0 if turn is None else _nearness_before(turn, wholes)
        if max(hit.whole, before) >= _NEAR:
            is_current = turn is not None and holds(turn)
            score = hit.whole + _BEFORE * before + _BY_SCORE * hit.score / best + _CURRENT * is_current
            near.append((score, -place, hit))
    return [hit for *_, hit in sorted(near, key=lambda one: one[:2], reverse=True)]


def _nearness_before(turn: Turn, wholes: Mapping[tuple[str | None, int | None], float]) -> float:
    """Return the greatest nearness among the turns before in the same session. It counts less the further back it
    is."""
    if turn.session is None or turn.position is None:
        return 0.0
    before = (wholes.get((turn.session, turn.position - back), 0.0) for back in range(1, _TURNS_BEFORE + 1))
    return max(0.0, *(nearness * _OF_NEXT**back for back, nearness in enumerate(before)))


def with_near_statements(
    found: Sequence[Match], talk: Sequence[Match], holds: Callable[[Turn], bool] = lambda _: False
) -> list[Match]:
    """Return the same hits with three near statements of `talk` right behind the first two hits.

    These are the likeliest that are not among the first two. Turns that `with_later_words` moved there stay before
    them. Others of these go last, but before the first hit. Talk among people alone stays as it is."""
    if len(found) <= _KEPT or is_of_people(talk):
        return list(found)
    place = next((at for at in range(_KEPT, len(found)) if not found[at].replaces), len(found))
    first = {each.hit.id for each in found[:place]}
    others = (each for each in near_statements(talk, holds) if each.hit.id not in first)
    brought = {each.hit.id: each for each in islice(others, min(_MOST_NEAR, len(found) - _KEPT))}
    joined = [*found[:place], *brought.values(), *(each for each in found[place:] if each.hit.id not in brought)]
    while len(joined) > len(found):
        spare = [at for at, each in enumerate(joined) if at and each.hit.id not in brought]
        del joined[max(spare, key=lambda at: (not joined[at].replaces, at))]
    return joined


def in_order(matches: Sequence[Match], *, by_similarity: bool) -> list[Match]:
    """Return the same hits with scores that never rise from one hit to the next, to match the order of this answer."""
    ordered: list[Match] = []
    for match in matches:
        score = match.hit.similarity if by_similarity else match.hit.score
        if ordered:
            score = min(score, ordered[-1].hit.score)
        ordered.append(replace(match, hit=replace(match.hit, score=score)))
    return ordered


def _states(match: Match) -> bool:
    """Return whether a person or an agent decides, requests or reports something. A question does not."""
    from almanac.families.memory.statements.classifier import LEAST_STATING  # noqa: PLC0415 - for what is not covered
    from almanac.families.memory.statements.sentences import is_question  # noqa: PLC0415 - as above

    content = match.content
    if not isinstance(content, Turn | Memory) or (isinstance(content, Turn) and content.role == "tool"):
        return False
    return not is_question(content.content) and any(
        one.stating >= LEAST_STATING or one.share_of(_REPORTS) >= _LEAST_SHARE for one in _judged(content.content)
    )


def _is_small_talk(match: Match) -> bool:
    """Return whether a person's or an agent's turn holds nothing but small talk: "ok", "thanks", "let me check"."""
    content = match.content
    if not isinstance(content, Turn) or content.role == "tool":
        return False
    return _is_filler(content.content)


def _is_filler(text: str) -> bool:
    kinds = _kinds(text)
    return bool(kinds) and all(kind == "filler" for kind in kinds)


def _kinds(text: str) -> list[str]:
    """Return the kinds of the sentences of a text. Filler counts as "unclear" if the classifier is not sure of it."""
    judged = _judged(text)
    return ["unclear" if one.kind == "filler" and one.share < _LEAST_SHARE else one.kind for one in judged]


def _judged(text: str) -> "list[Judgement]":
    from almanac.families.memory.statements.classifier import classify  # noqa: PLC0415 - for talk with agents
    from almanac.families.memory.statements.sentences import sentences_of  # noqa: PLC0415 - as above

    return [classify(one) for one in sentences_of(text[:_CHARACTERS])[:_SENTENCES]]


def _leads(summary: Match, others: Sequence[Match]) -> bool:
    content = summary.content
    made_of = set(content.derived_from) if isinstance(content, Memory) else set[str]()
    is_most_alike = all(summary.hit.similarity > each.hit.similarity for each in others)
    return is_most_alike and made_of.isdisjoint(each.hit.id for each in others)
