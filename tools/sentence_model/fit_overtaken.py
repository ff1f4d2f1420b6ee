"""Fit the weights by which memory judges whether a later line overtakes an earlier one, and write them.

    python -m tools.sentence_model.fit_overtaken [--judge]

In the talks of `talks/` a turn names the earlier turns of which something no longer holds. Logistic regression by
Newton's method over pairs of turns that have common topic words: the likeliest right pair of each overtaken turn, and
the three pairs of each turn that the model would most likely mistake for right ones. With `--judge` nothing is written;
it holds out each talk in turn and prints how well turns are told from others.
"""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from math import log
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from almanac.families.memory.candidates import overtaken_weights
from almanac.families.memory.candidates.current_statements import talk_of
from almanac.families.memory.candidates.overtaken import LaterTurns, PairFeatures, parts_of
from almanac.families.memory.candidates.overtaken_weights import ALWAYS, OF_PAIRS
from almanac.families.memory.core.records import AGENT_ROLES, SPEAKING_ROLES, Turn
from almanac.families.memory.statements.sentences import is_question
from tools.sentence_model.fit_passages import Talk, read_talks

_DECAY = 2.0
_WRONG = 3
"""Number of pairs of each turn that the model would most likely mistake for right ones, which count as wrong."""
_STEPS = 8
_ROUNDS = 8
_MINUTE, _DAY = 60_000, 86_400_000
_LEAST_LOSS = 1e-6
_LINKS = 400
_HEAD = '''"""Weights of the model of overtaken lines, as `tools/sentence_model/fit_overtaken.py` wrote them."""

'''

Floats = npt.NDArray[np.float64]


class TurnExample(msgspec.Struct, frozen=True):
    """A turn of a talk with the features of its pairs with later turns.

    `overtaking` has those with the turns that overtake it and agents' replies to these, `others` those with turns
    before, which do not."""

    overtaking: Sequence[PairFeatures]
    others: Sequence[PairFeatures]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--judge", action="store_true")
    examples = {name: list(turn_examples(talk)) for name, talk in read_talks().items()}
    if arguments.parse_args().judge:
        for fit in (False, True):
            print("held out" if fit else "stored", judge(examples, fit=fit))  # noqa: T201
        return
    weights = fit_weights([one for each in examples.values() for one in each])
    Path(overtaken_weights.__file__).write_text(source_of(weights))


def overtaken_turns(talk: Talk) -> dict[int, set[int]]:
    """Map the place of each overtaken turn to the places of the turns that overtake it, directly or by steps.

    Raises ValueError if a mark names no earlier turn, or several."""
    said = [turn for session in talk.sessions for turn in session.turns]
    overtaken: dict[int, set[int]] = {}
    for place, turn in enumerate(said):
        for words in turn.overtakes:
            named = [before for before, earlier in enumerate(said[:place]) if words in earlier.content]
            if len(named) != 1:
                raise ValueError(f"{words!r} names {len(named)} turns before {turn.content[:60]!r}")
            for earlier in [named[0], *(one for one, later in overtaken.items() if named[0] in later)]:
                overtaken.setdefault(earlier, set()).add(place)
    return overtaken


def turn_examples(talk: Talk) -> Iterator[TurnExample]:
    """Yield the turns of a talk that later turns may overtake."""
    turns = list(_turns_of(talk))
    later_turns = LaterTurns(turns, talk_of(turns).statements)
    overtaken = overtaken_turns(talk)
    for place, turn in enumerate(turns):
        if turn.role not in SPEAKING_ROLES or is_question(turn.content):
            continue
        by_turns = overtaken.get(place, set())
        replies = {each + 1 for each in by_turns if turns[each + 1 :] and _is_reply(turns[each], turns[each + 1])}
        pairs = [
            (int(later.id), pair) for part in parts_of(turn) for later, pair in later_turns.pairs_of(part, turn.id)
        ]
        overtaking = [features for later, features in pairs if later in by_turns | replies]
        others = [features for later, features in pairs if not by_turns or later < min(by_turns)]
        if overtaking or others:
            yield TurnExample(overtaking, others)


def _turns_of(talk: Talk) -> Iterator[Turn]:
    place = 0
    for number, session in enumerate(talk.sessions):
        for position, said in enumerate(session.turns):
            at = number * _DAY + position * _MINUTE
            yield Turn(
                id=str(place),
                content=said.content,
                at=at,
                recorded_at=at,
                actor="",
                role=said.role,
                speaker=said.speaker,
                session=str(number),
                position=position,
            )
            place += 1


def _is_reply(turn: Turn, following: Turn) -> bool:
    return turn.role == "user" and following.role in AGENT_ROLES and turn.session == following.session


def fit_weights(examples: Sequence[TurnExample]) -> Floats:
    """Return the weights: first the one of all pairs, then one for each feature."""
    weights = np.ones(len(PairFeatures._fields) + 1)
    tables = [(_table(one.overtaking), _table(one.others)) for one in examples]
    for _ in range(_ROUNDS):
        right = [_likeliest(table, weights, 1) for table, _ in tables if len(table)]
        wrong = [_likeliest(table, weights, _WRONG) for _, table in tables if len(table)]
        wanted = np.concatenate([np.ones(sum(map(len, right))), np.zeros(sum(map(len, wrong)))])
        weights = _fit(np.concatenate([*right, *wrong]), wanted)
    return weights


def _table(pairs: Sequence[PairFeatures]) -> Floats:
    return np.array([[1.0, *pair] for pair in pairs]).reshape(-1, len(PairFeatures._fields) + 1)


def _likeliest(table: Floats, weights: Floats, most: int) -> Floats:
    return table[np.argsort(-(table @ weights), kind="stable")[:most]]


def _fit(rows: Floats, wanted: Floats) -> Floats:
    weights = np.zeros(rows.shape[1])
    decay = np.full(rows.shape[1], _DECAY)
    decay[0] = 1e-6
    for _ in range(_STEPS):
        shares = 1 / (1 + np.exp(-np.clip(rows @ weights, -30, 30)))
        slope = rows.T @ (shares - wanted) + decay * weights
        bend = (rows * (shares * (1 - shares))[:, None]).T @ rows + np.diag(decay)
        weights = weights - np.linalg.solve(bend, slope)
    return weights


def source_of(weights: Floats) -> str:
    """Return the text of the module that holds these weights."""
    of_pairs = "".join(
        f"    {each:.2f},  # {name}\n" for name, each in zip(PairFeatures._fields, weights[1:], strict=True)
    )
    return f"{_HEAD}ALWAYS = {weights[0]:.2f}\nOF_PAIRS = (\n{of_pairs})\n"


class Judgement(NamedTuple):
    """How well overtaken turns are told from others.

    `area` is that under the curve, `loss` the mean logarithmic loss. `found` counts the overtaken turns whose likeliest
    later turn is right, among the likeliest `_LINKS` pairs of turns."""

    area: float
    loss: float
    found: int


def judge(examples: Mapping[str, Sequence[TurnExample]], *, fit: bool) -> Judgement:
    """Judge the weights that are fitted without the judged talk or, without `fit`, the stored ones."""
    stored = np.array([ALWAYS, *OF_PAIRS])
    shares: list[tuple[float, bool, bool]] = []
    for name, own in examples.items():
        others = [one for other, each in examples.items() if other != name for one in each]
        weights = fit_weights(others) if fit else stored
        for one in own:
            right, wrong = (max(_table(pairs) @ weights, default=-30.0) for pairs in (one.overtaking, one.others))
            shares.append((float(1 / (1 + np.exp(-max(right, wrong)))), bool(one.overtaking), right > wrong))
    shares.sort(key=lambda each: each[0])
    ranks = [rank for rank, (_, is_overtaken, _) in enumerate(shares, 1) if is_overtaken]
    area = (sum(ranks) - len(ranks) * (len(ranks) + 1) / 2) / (len(ranks) * (len(shares) - len(ranks)))
    losses = [-log(max(_LEAST_LOSS, share if is_overtaken else 1 - share)) for share, is_overtaken, _ in shares]
    return Judgement(area, sum(losses) / len(losses), sum(is_right for *_, is_right in shares[-_LINKS:]))


if __name__ == "__main__":
    main()
