"""Choose the turns that answer a broad question.

A turn scores if it states something of the kind that the question asks for. Of a question with a topic it also scores
by naming the topic, by its place in the search for the question, and by its nearness to the question, because people
decide in words that name no topic: "the oak ones then". Talk stays with its topic for a while, so a turn inherits part
of the topic of the turns around it. A short turn is quoted whole, because a sentence alone often lacks its subject.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from math import log1p
from statistics import fmean, pstdev

from almanac.content import judge
from almanac.families.memory.candidates.corrections import corrects
from almanac.families.memory.candidates.current_statements import (
    Talk,
)
from almanac.families.memory.candidates.later_words import Changes
from almanac.families.memory.core.records import Turn
from almanac.families.memory.statements.classifier import classify
from almanac.families.memory.statements.sentences import cut, is_question, on_one_line
from almanac.families.memory.statements.words import NAME_LOOKS, words_of
from almanac.families.memory.synthesis.passages import Passage, passage_of_turn
from almanac.families.memory.synthesis.people_lines import turns_on_people
from almanac.families.memory.synthesis.plans import Plan
from almanac.families.memory.synthesis.spoken_turns import (
    CHARACTERS,
    LIKELY,
    MOST_CHARACTERS,
    OTHER_REMARK,
    REMARK,
    WORTHS,
    SpokenTurn,
    sentences_and_terms,
    spoken_turns,
    worth_of,
)
from almanac.search.analysis.words import terms_in
from almanac.search.questions.port import Hit

MOST_LINES = 45
MOST_LINES_ABOUT = 25
"""Most lines for a question that may ask for one thing. They come behind the sentences that answer it."""
_AROUND = 0.9
"""Factor for the topic of the turns around a turn."""
_PER_TURN = 0.75
"""Factor for each turn between a turn and the one that names the topic."""
_TURNS_BEFORE, _TURNS_AFTER = 6, 3
_NEAR = 0.15
"""The worth of a standard deviation by which a turn is nearer to the question than the other hits are."""
_MOST_DEVIATIONS = 3.0
_CHANGED = 0.4
_LEAST = 0.3
_SAME = 0.85
"""Share of a turn's words that an earlier line must have to make the turn a repetition."""
_SAYS_LITTLE = 2
"""Most words of a statement that is quoted together with the reply that explains it."""


def choose_lines(plan: Plan, talk: Talk, turns: Sequence[Turn], hits: Sequence[Hit]) -> list[Passage]:
    """Return passages of the turns that answer, best first, without text that addresses a model.

    `talk` has the statements of `turns`. `hits` are those of a search for the question among the turns."""
    if plan.kind == "replaced":
        turns_to_quote = _replacement_pairs(talk, turns)
    elif plan.kind == "people":
        turns_to_quote = turns_on_people(plan.topic, talk, turns)
    else:
        turns_to_quote = _best(
            plan,
            spoken_turns(plan, talk, turns),
            hits,
            {talk.statements[newer].turn for newer in talk.replaced.values()},
        )
    lines: dict[str, Passage] = {}
    for turn, text in turns_to_quote:
        if text and turn.id not in lines and not judge(text).findings:
            lines[turn.id] = passage_of_turn(turn, text)
        if len(lines) == (MOST_LINES_ABOUT if plan.kind == "about" else MOST_LINES):
            break
    return [*lines.values()]


def covers(plan: Plan, lines: Sequence[Passage]) -> bool:
    """Return whether some line is about the topic of the question. Any line will do if the question names no topic."""
    return bool(lines) and (not plan.topic or any(plan.topic & terms_in(passage.text) for passage in lines))


def _best(
    plan: Plan, spoken: Sequence[SpokenTurn], hits: Sequence[Hit], replacing: Collection[str]
) -> Iterator[tuple[Turn, str]]:
    """Yield turns with the text to quote, without repetitions. The best come first, and the latest among equals."""
    relevance = _relevance(plan.topic, spoken, hits) if plan.topic else {}
    asks_for_a_kind = plan.kind in ("tasks", "deadlines") or (plan.kind in WORTHS and not plan.topic)
    remark_worth = OTHER_REMARK if asks_for_a_kind else REMARK
    scored: list[tuple[float, int, int]] = []
    for place, spoken_turn in enumerate(spoken):
        turn = spoken_turn.turn
        if not plan.includes(turn.at) or (is_question(turn.content) and not spoken_turn.stated):
            continue
        worth = worth_of(plan.kind, spoken_turn, remark_worth)
        if plan.kind == "changes" and (
            turn.id in replacing or (worth > LIKELY and any(map(corrects, spoken_turn.sentences)))
        ):
            worth += _CHANGED
        score = worth + relevance.get(turn.id, 0.0)
        if score >= _LEAST:
            scored.append((-score, -turn.at, place))
    quoted_words: list[frozenset[str]] = []
    for *_, place in sorted(scored):
        chosen = spoken[place]
        if not _is_new(chosen.text, quoted_words):
            continue
        yield chosen.turn, chosen.text
        reply = _reply(spoken, place) if len(quoted_words[-1]) <= _SAYS_LITTLE and chosen.turn.role == "user" else None
        if reply is not None and _is_new(reply.text, quoted_words):
            yield reply.turn, reply.text


def _relevance(topic: frozenset[str], spoken: Sequence[SpokenTurn], hits: Sequence[Hit]) -> dict[str, float]:
    """Return how much each turn is about the topic, by the ids of turns.

    A turn is wholly about a speaker whom the question names if it is theirs or mentions them. Such a name alone does
    not make other turns of the search relevant, because a search for a name finds what is said to that person."""
    speakers = topic & {term for each in spoken for term in terms_in(each.turn.speaker or "")}
    relevance = {
        each.turn.id: float(not speakers.isdisjoint(each.terms | terms_in(each.turn.speaker or ""))) for each in spoken
    }
    if topic == speakers:
        return relevance
    weights = _weights(topic - speakers, spoken)
    named = {each.turn.id: sum(weights[term] for term in weights.keys() & each.terms) for each in spoken}
    for each in spoken:
        relevance[each.turn.id] += named[each.turn.id]
    sessions: dict[str | None, list[str]] = {}
    for each in spoken:
        sessions.setdefault(each.turn.session, []).append(each.turn.id)
    for ids in sessions.values():
        for place, turn_id in enumerate(ids):
            before = reversed(ids[max(0, place - _TURNS_BEFORE) : place])
            after = ids[place + 1 : place + 1 + _TURNS_AFTER]
            around = (named[other] * _PER_TURN**far for side in (before, after) for far, other in enumerate(side, 1))
            relevance[turn_id] += _AROUND * max(around, default=0.0)
    cosines = [hit.whole for hit in hits]
    usual, deviation = (fmean(cosines), pstdev(cosines)) if cosines else (0.0, 0.0)
    best = max((hit.score for hit in hits), default=0.0)
    for hit in hits:
        if hit.id in relevance:
            deviations = (hit.whole - usual) / deviation if deviation else 0.0
            relevance[hit.id] += _NEAR * max(0.0, min(_MOST_DEVIATIONS, deviations))
            relevance[hit.id] += max(0.0, hit.score / best) if best > 0 else 0.0
    return relevance


def _weights(topic: frozenset[str], spoken: Sequence[SpokenTurn]) -> dict[str, float]:
    """Return the weight of each term of the topic. Terms of few turns weigh most, and the weights add up to 1."""
    counts = Counter(term for spoken_turn in spoken for term in topic & spoken_turn.terms)
    weights = {term: log1p(len(spoken) / (counts[term] + 0.5)) for term in topic}
    total = sum(weights.values()) or 1.0
    return {term: weight / total for term, weight in weights.items()}


def _is_new(text: str, quoted_words: list[frozenset[str]]) -> bool:
    """Return whether a text is new: no earlier line has nearly all its words and all its names and numbers.

    The words of a new text are added to `quoted_words`."""
    looks = words_of(text)
    words, names = frozenset(looks), {word for word, worth in looks.items() if worth >= NAME_LOOKS}
    if not words or any(names <= each and len(words & each) >= _SAME * len(words) for each in quoted_words):
        return False
    quoted_words.append(words)
    return True


def _reply(spoken: Sequence[SpokenTurn], place: int) -> SpokenTurn | None:
    """Return the agent's next turn in the session if it is short, asks nothing and says more than "ok"."""
    quoted = spoken[place].turn
    for next_turn in spoken[place + 1 : place + 3]:
        if next_turn.turn.session == quoted.session and next_turn.turn.role != "user":
            content = next_turn.turn.content
            says_more = len(words_of(content)) > _SAYS_LITTLE
            return next_turn if says_more and len(content) <= CHARACTERS and not is_question(content) else None
    return None


def _replacement_pairs(talk: Talk, turns: Sequence[Turn]) -> Iterator[tuple[Turn, str]]:
    """Yield turns that replaced others, each followed by the turn that it replaced.

    Replacements that name the replaced thing come first, ordered by the replaced turn, latest first. Then come choices
    that name nothing of the old choice, and last the other decisions that correct something."""
    by_id = {turn.id: turn for turn in turns}
    replaced = sorted(talk.replaced.items(), key=lambda pair: -talk.statements[pair[0]].at)
    pairs = [(by_id[talk.statements[new].turn], by_id[talk.statements[old].turn]) for old, new in replaced]
    changes = Changes(turns, talk)
    for replaced_turn in reversed(turns):
        if replaced_turn.role == "user" and any(
            classify(text).stating >= LIKELY for text in sentences_and_terms(replaced_turn.content)[0]
        ):
            pairs += [(new, replaced_turn) for new in changes.next_of(replaced_turn.id) if new.role == "user"]
    correcting = (
        statement for statement in reversed(talk.current) if statement.kind == "decision" and corrects(statement.text)
    )
    for turn in (*(turn for pair in pairs for turn in pair), *(by_id[statement.turn] for statement in correcting)):
        yield turn, cut(on_one_line(turn.content), MOST_CHARACTERS)
