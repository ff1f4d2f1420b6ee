"""Lists of several profiles made one. Scores compare hits of one profile, similarities those of all."""

from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from almanac.families.memory.core.records import Memory, Turn
from almanac.families.memory.search.rounds import Match

COMPARED = 30
"""Hits of talk that are compared with each other: judging a sentence for the first time takes 0.14 ms."""
_KEPT = 4
"""The first hits, which no nearer statement moves."""
_NEAR = 0.2
"""The least cosine of a turn with the question: turns about something else seldom reach it."""
_TELLS_NOTHING = ("filler", "question", "aside")
_CHARACTERS = 2_000
_SENTENCES = 12


def merged(lists: Iterable[Sequence[Match]]) -> list[Match]:
    """The most alike of the first ones comes first; each list keeps its order."""
    left = [list(reversed(each)) for each in lists]
    found: list[Match] = []
    while some := [each for each in left if each]:
        best = max(some, key=_next_similarity)
        found.append(best.pop())
    return found


def _next_similarity(turned: Sequence[Match]) -> float:
    return turned[-1].hit.similarity


def with_summaries(others: Sequence[Match], summaries: Sequence[Match], wanted: int) -> list[Match]:
    """A summary takes a place that is left. It comes first only where it is more alike than every other hit and none
    of what it was made of is one: a turn says it better than what was made of it."""
    leading = [each for each in summaries[:1] if others and _leads(each, others)]
    rest = summaries[len(leading) :]
    kept = [*leading, *others][:wanted]
    return kept + list(rest[: wanted - len(kept)])


def with_later_words(found: Sequence[Match], talk: Sequence[Match]) -> list[Match]:
    """The first turn that later words in `talk` replace brings these right behind it; each that decided something names
    them."""
    from almanac.families.memory.candidates.later_words import binds, later_words  # noqa: PLC0415 - for several turns

    by_id = {each.hit.id: each for each in talk}
    turns = [each.content for each in talk[:COMPARED] if isinstance(each.content, Turn)]
    later = later_words(turns) if len(turns) > 1 else {}
    decided = {one.id for one in turns if one.id in later and binds(one.content)}
    marked = [replace(each, replaced_by=later[each.hit.id].id) if each.hit.id in decided else each for each in found]
    for place, each in enumerate(marked):
        newer = later[each.hit.id].id if each.hit.id in later else ""
        if newer and newer not in {one.hit.id for one in marked[:place]}:
            rest = [one for one in marked[place + 1 :] if one.hit.id != newer]
            brought = next((one for one in marked if one.hit.id == newer), by_id[newer])
            return [*marked[: place + 1], brought, *rest][: len(found)]
    return marked


def near_statements(talk: Sequence[Match]) -> Iterator[Match]:
    """Yield what comes near to the question as a whole and tells something, the nearest first: no question, nothing
    small and nothing that a tool wrote. Words rank it low where it answers in quite other words."""
    near = sorted((each for each in talk if each.hit.whole >= _NEAR), key=lambda each: -each.hit.whole)
    return (each for each in near if _tells(each))


def with_near_statement(found: Sequence[Match], talk: Sequence[Match]) -> list[Match]:
    """The same hits with the nearest statement of `talk` that is not one of the first four right behind these. Talk of
    people alone stays as it is: they tell more than they state."""
    if not any(isinstance(each.content, Turn) and each.content.role != "user" for each in talk):
        return list(found)
    first = {each.hit.id for each in found[:_KEPT]}
    brought = next((each for each in near_statements(talk) if each.hit.id not in first), None)
    if brought is None or len(found) <= _KEPT:
        return list(found)
    rest = [each for each in found[_KEPT:] if each.hit.id != brought.hit.id]
    return [*found[:_KEPT], brought, *rest][: len(found)]


def in_order(matches: Sequence[Match], *, by_similarity: bool) -> list[Match]:
    """The same hits with scores that never rise from one to the next, so that they tell the order of this answer."""
    ordered: list[Match] = []
    for match in matches:
        score = match.hit.similarity if by_similarity else match.hit.score
        if ordered:
            score = min(score, ordered[-1].hit.score)
        ordered.append(replace(match, hit=replace(match.hit, score=score)))
    return ordered


def _tells(match: Match) -> bool:
    from almanac.families.memory.statements.classifier import classify  # noqa: PLC0415 - for what is not covered
    from almanac.families.memory.statements.sentences import is_question, sentences_of  # noqa: PLC0415

    content = match.content
    if not isinstance(content, Turn | Memory) or (isinstance(content, Turn) and content.role == "tool"):
        return False
    sentences = sentences_of(content.content[:_CHARACTERS])[:_SENTENCES]
    tells = any(classify(one).kind not in _TELLS_NOTHING for one in sentences)
    return tells and not is_question(content.content)


def _leads(summary: Match, others: Sequence[Match]) -> bool:
    content = summary.content
    made_of = set(content.derived_from) if isinstance(content, Memory) else set[str]()
    is_most_alike = all(summary.hit.similarity > each.hit.similarity for each in others)
    return is_most_alike and made_of.isdisjoint(each.hit.id for each in others)
