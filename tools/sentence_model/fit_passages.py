"""Fit the weights by which summaries judge passages, and write them into the package.

    python -m tools.sentence_model.fit_passages [--out FILE] TALK.json ...

Each file holds talk in which people marked what matters: `sessions`, each with `turns` of `role`, `content` and perhaps
`speaker`, and `labels`. Of the labels these are read: `matters` (the indexes of turns, counted through all sessions),
`current`, `superseded` and `narrow` (strings that a passage which matters holds), and `summary_must` (strings that a
summary of a session must keep). A file counts for as much as its name says behind a colon: `TALK.json:0.5`.
Logistic regression by Newton's method, once for persons and once for agents.
"""

import argparse
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from almanac.families.memory.core.records import Turn
from almanac.families.memory.sessions import passage_weights
from almanac.families.memory.sessions.passages import PassageModel, is_with_agent
from almanac.families.memory.sessions.summary_sentences import passages_of
from almanac.families.memory.sessions.windows import DUE_TURNS, summary_inputs

_DECAY = 5.0
_ROUNDS = 40
_LABELS = ("current", "superseded", "narrow")
_LEAST_STRING = 3
_TEXTS = ("any_of", "any_of_wrong", "any_of_right")
_HEAD = '''"""Weights of the model of passages, as `tools/sentence_model/fit_passages.py` wrote them."""

'''

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Example:
    """A passage with its features, whether it matters, and how much it counts."""

    by_person: bool
    features: dict[str, float]
    matters: bool
    counts: float


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--out", type=Path, default=Path(passage_weights.__file__))
    arguments.add_argument("talks", nargs="+", metavar="TALK.json")
    given = arguments.parse_args()
    examples = [one for name in given.talks for one in examples_of(name)]
    given.out.write_text(_HEAD + "\n".join(map(_written, *zip(*fitted(examples).items(), strict=True))))


def examples_of(name: str) -> Iterator[Example]:
    """Yield the passages of a file, in windows of as many turns as a summary has at least."""
    path, _, counts = name.partition(":")
    talk: dict[str, Any] = json.loads(Path(path).read_text(encoding="utf-8"))
    labels = talk["labels"]
    contents: list[str] = [turn["content"] for session in talk["sessions"] for turn in session["turns"]]
    telling = [_plain(contents[int(place)]) for place in labels["matters"]]
    strings = list(filter(lambda one: len(one) > _LEAST_STRING, map(_plain, _marked(labels))))
    for session in talk["sessions"]:
        must = [_plain(one) for each in labels["summary_must"][session["id"]] for one in each.split("|")]
        said = session["turns"]
        for first in range(0, len(said), DUE_TURNS):
            for by_person, sentences, features in _passages(said[first : first + DUE_TURNS]):
                text = _plain(" ".join(sentences))
                matters = any(text in one for one in telling) or any(one in text for one in strings)
                is_must = any(one and one in text for one in must)
                yield Example(by_person, features, matters, (2.0 if is_must else 1.0) * float(counts or 1))


def _marked(labels: dict[str, Any]) -> Iterator[str]:
    for kind in _LABELS:
        for one in labels[kind]:
            for each in _TEXTS:
                yield from one.get(each, ())


def _passages(said: Sequence[dict[str, Any]]) -> Iterator[tuple[bool, Sequence[str], dict[str, float]]]:
    inputs = summary_inputs([_turn(place, one) for place, one in enumerate(said)])
    if not is_with_agent(inputs):
        return
    model = PassageModel(inputs)
    for place, one in enumerate(inputs):
        for sentences in () if one.is_program else passages_of(one):
            yield one.by_person, sentences, model.features(place, sentences)


def _turn(place: int, said: dict[str, Any]) -> Turn:
    return Turn(
        id=str(place),
        content=said["content"],
        at=place,
        recorded_at=place,
        actor="",
        role=said["role"],
        speaker=said.get("speaker"),
        session="",
        position=place,
    )


def _plain(text: str) -> str:
    return re.sub(r"\W+", " ", text.lower()).strip()


def fitted(examples: Sequence[Example]) -> dict[str, dict[str, float]]:
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


def _written(table: str, weights: dict[str, float]) -> str:
    rows = "".join(f'    "{name}": {weight:.2f},\n' for name, weight in weights.items())
    return f"{table}: dict[str, float] = {{\n{rows}}}\n"


if __name__ == "__main__":
    main()
