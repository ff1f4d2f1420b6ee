"""Fit the weights by which summaries judge passages, and write them into the package.

    python -m tools.sentence_model.fit_passages [--without TALK ...]

The talks in `talks/` were written for this purpose: people and agents over a week, with the turns marked that later
work depends on. Logistic regression by Newton's method, once for persons and once for agents. With `--without` the
named talks are held out, nothing is written, and for each of them it is printed how many of the passages that the model
would tell matter.
"""

import argparse
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from math import exp
from pathlib import Path
from typing import NamedTuple, cast, get_args

import msgspec
import numpy as np
import numpy.typing as npt

from almanac.families.memory.core.records import Role, Turn
from almanac.families.memory.sessions.summary_sentences import LEAST_SHARE, passages_of
from almanac.families.memory.sessions.windows import DUE_TURNS, summary_inputs
from almanac.families.memory.statements import passage_weights
from almanac.families.memory.statements.passages import PassageModel, is_with_agent

FOLDER = Path(__file__).parent / "talks"
_DECAY = 5.0
_ROUNDS = 10
_LEAST_STRING = 3
_OF_REQUIRED = 2.0
"""How much a passage counts that a summary must keep."""
_HEAD = '''"""Weights of the model of passages, as `tools/sentence_model/fit_passages.py` wrote them."""

'''

Floats = npt.NDArray[np.float64]


class SaidTurn(msgspec.Struct, frozen=True):
    """A turn of a talk. `matters`: later work may depend on it.

    `overtakes` has words of each earlier turn of which something no longer holds from here on, or is done."""

    role: Role
    content: str
    speaker: str | None = None
    matters: bool = False
    overtakes: tuple[str, ...] = ()


class SaidSession(msgspec.Struct, frozen=True):
    """A session of a talk, with the words that its summary must keep."""

    must: tuple[str, ...]
    turns: tuple[SaidTurn, ...]


class Talk(msgspec.Struct, frozen=True):
    """A talk of some days. A passage that holds one of the `strings` matters wherever it is said."""

    strings: tuple[str, ...]
    sessions: tuple[SaidSession, ...]


@dataclass(frozen=True, slots=True)
class Example:
    """A passage with its features, whether it matters, and how much it counts."""

    by_person: bool
    features: dict[str, float]
    matters: bool
    counts: float


class SelectionCounts(NamedTuple):
    """Numbers of passages: told, told and rightly so, and those that matter."""

    chosen: int
    right: int
    matter: int


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--without", nargs="*", default=[], choices=sorted(read_talks()))
    held_out: list[str] = arguments.parse_args().without
    tables = fit_tables([one for talk in read_talks(held_out).values() for one in examples_of(talk)])
    if held_out:
        for name in held_out:
            print(name, count_chosen(read_talks()[name], tables))  # noqa: T201
        return
    Path(passage_weights.__file__).write_text(source_of(tables))


def read_talks(without: Collection[str] = ()) -> dict[str, Talk]:
    """Return the talks that are not held out, by name."""
    paths = [path for path in sorted(FOLDER.glob("*.txt")) if path.stem not in without]
    return {path.stem: talk_in(path.read_text()) for path in paths}


def talk_in(text: str) -> Talk:
    """Return the talk that a file describes, in the form that the README has. Raises ValueError for other text."""
    strings: tuple[str, ...] = ()
    sessions: list[SaidSession] = []
    for line in filter(None, text.splitlines()):
        if line.startswith("# "):
            continue
        if line.startswith("strings: ") and not sessions:
            strings = tuple(line.removeprefix("strings: ").split(" | "))
        elif line.startswith("=== "):
            sessions.append(SaidSession((), ()))
        elif line.startswith("must: ") and not sessions[-1].turns:
            sessions[-1] = SaidSession(tuple(line.removeprefix("must: ").split(" | ")), ())
        else:
            sessions[-1] = SaidSession(sessions[-1].must, (*sessions[-1].turns, _turn_in(line)))
    return Talk(strings, tuple(sessions))


def _turn_in(line: str) -> SaidTurn:
    """Return the turn in a line such as "!d {card it is} Ann: paper then" or "assistant/codex: Done."."""
    unmarked, matters = re.subn(r"^![a-z=]? ", "", line)
    overtakes = re.match(r"\{([^}]*)\} ", unmarked)
    words = tuple(overtakes[1].split(" | ")) if overtakes else ()
    name, colon, text = unmarked[overtakes.end() if overtakes else 0 :].partition(": ")
    role, _, speaker = name.partition("/")
    if not colon:
        raise ValueError(f"not a turn: {line[:60]!r}")
    content = text.replace("\\n", "\n")
    if role in get_args(Role):
        return SaidTurn(cast("Role", role), content, speaker or None, bool(matters), words)
    return SaidTurn("user", content, name, bool(matters), words)


def source_of(tables: dict[str, dict[str, float]]) -> str:
    """Return the text of the module that holds these weights."""
    return _HEAD + "\n".join(map(_table_source, *zip(*tables.items(), strict=True)))


def examples_of(talk: Talk) -> Iterator[Example]:
    """Yield the passages of a talk, in windows of as many turns as a summary has at least."""
    strings = [plain for one in talk.strings if len(plain := _plain(one)) > _LEAST_STRING]
    for session in talk.sessions:
        must = [plain for one in session.must if (plain := _plain(one))]
        turns = [_turn(place, one) for place, one in enumerate(session.turns)]
        for first in range(0, len(turns), DUE_TURNS):
            inputs = summary_inputs(turns[first : first + DUE_TURNS])
            model = PassageModel(inputs)
            for place, one in enumerate(inputs if is_with_agent(inputs) else ()):
                for sentences in () if one.is_program else passages_of(one):
                    text = _plain(" ".join(sentences))
                    matters = session.turns[first + place].matters or any(each in text for each in strings)
                    counts = _OF_REQUIRED if any(each in text for each in must) else 1.0
                    yield Example(one.by_person, model.features(place, sentences), matters, counts)


def _turn(place: int, said: SaidTurn) -> Turn:
    return Turn(
        id=str(place),
        content=said.content,
        at=place,
        recorded_at=place,
        actor="",
        role=said.role,
        speaker=said.speaker,
        session="",
        position=place,
    )


def _plain(text: str) -> str:
    return re.sub(r"\W+", " ", text.lower()).strip()


def fit_tables(examples: Sequence[Example]) -> dict[str, dict[str, float]]:
    """Return the weights of the features for persons and for agents, by the names of their tables."""
    tables: dict[str, dict[str, float]] = {}
    for table, by_person in (("OF_PERSONS", True), ("OF_AGENTS", False)):
        some = [one for one in examples if one.by_person == by_person]
        names = list(some[0].features)
        rows = np.array([[1.0, *(one.features[name] for name in names)] for one in some])
        wanted = np.array([one.matters for one in some], dtype=float)
        weights = _fit(rows, wanted, np.array([one.counts for one in some]))
        tables[table] = dict(zip(["always", *names], weights.tolist(), strict=True))
    return tables


def _fit(rows: Floats, wanted: Floats, counts: Floats) -> Floats:
    weights = np.zeros(rows.shape[1])
    decay = np.full(rows.shape[1], _DECAY)
    decay[0] = 1e-6
    for _ in range(_ROUNDS):
        shares = 1 / (1 + np.exp(-np.clip(rows @ weights, -30, 30)))
        slope = rows.T @ (counts * (shares - wanted)) + decay * weights
        bend = (rows * (counts * shares * (1 - shares))[:, None]).T @ rows + np.diag(decay)
        weights = weights - np.linalg.solve(bend, slope)
    return weights


def _table_source(table: str, weights: dict[str, float]) -> str:
    rows = "".join(f'    "{name}": {weight:.2f},\n' for name, weight in weights.items())
    return f"{table}: dict[str, float] = {{\n{rows}}}\n"


def count_chosen(talk: Talk, tables: dict[str, dict[str, float]]) -> SelectionCounts:
    """Return how many passages of a talk a summary would tell with these weights."""
    told = matter = right = 0
    for one in examples_of(talk):
        weights = tables["OF_PERSONS" if one.by_person else "OF_AGENTS"]
        score = weights["always"] + sum(weights[feature] * value for feature, value in one.features.items())
        is_told = 1 / (1 + exp(-score)) >= LEAST_SHARE
        told, matter, right = told + is_told, matter + one.matters, right + (is_told and one.matters)
    return SelectionCounts(told, right, matter)


if __name__ == "__main__":
    main()
