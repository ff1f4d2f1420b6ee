"""Train the model of statements on the texts of this folder and write its weights into the package.

    python -m tools.sentence_model.train [--out FILE] [--without DOMAIN ...]

Multinomial logistic regression by full-batch Adam. With `--without` the named domains are held out, nothing is written,
and the share of their sentences that the model places rightly is printed.
"""

import argparse
from array import array
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import numpy.typing as npt

from almanac.families.memory.statements.classifier import LEAST_STATING, STATING, classify_by_model
from almanac.families.memory.statements.features import features_of
from almanac.families.memory.statements.weights import KINDS, WEIGHTS_FILE, Weights, pack_weights
from tools.sentence_model.templates import TrainingSentence, digest, domains_of_texts, training_sentences

MOST_FEATURES = 11_600
_TEMPLATES_OF_A_FEATURE = 2
_STEPS = 150
_RATE = 0.06
_DECAY = 1e-4
_FEATURE_SHARES = (1.0, 0.6)
"""Shares of the features that copies of a sentence keep, so that no single word carries the decision."""

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--out", type=Path, default=WEIGHTS_FILE)
    arguments.add_argument("--without", nargs="*", default=[], metavar="DOMAIN")
    given = arguments.parse_args()
    weights = train(list(training_sentences(given.without)))
    if given.without:
        _print_share(weights, given.without)
        return
    given.out.write_bytes(pack_weights(weights))
    print(f"{len(weights.by_feature)} features, {given.out.stat().st_size} bytes")  # noqa: T201


def train(made: list[TrainingSentence]) -> Weights:
    """Return the weights for these sentences; each kind counts alike, however many sentences it has."""
    found = [features_of(one.text) for one in made]
    templates: dict[int, set[int]] = defaultdict(set)
    for one, features in zip(made, found, strict=True):
        for feature in features:
            templates[feature].add(one.template)
    kept = sorted(one for one, where in templates.items() if len(where) >= _TEMPLATES_OF_A_FEATURE)
    columns = {feature: column for column, feature in enumerate(kept)}
    chance = np.random.default_rng(7)
    rows: list[Places] = []
    cells: list[Places] = []
    labels: list[int] = []
    worths: list[int] = []
    for one, features in zip(made, found, strict=True):
        known = np.array(sorted(columns[each] for each in features if each in columns), dtype=np.int64)
        for share in _FEATURE_SHARES:
            some = known if share == 1 else known[chance.random(len(known)) < share]
            rows.append(np.full(len(some), len(labels), dtype=np.int64))
            cells.append(some)
            labels.append(KINDS.index(one.kind))  # type: ignore[arg-type]
            worths.append(one.worth)
    examples = np.concatenate(rows), np.concatenate(cells), np.array(labels), np.array(worths)
    weights, biases = _fit(*examples, len(columns))
    return _round_weights(kept, weights, biases)


def _fit(rows: Places, cells: Places, labels: Places, worths: Places, width: int) -> tuple[Floats, Floats]:
    count, kinds = len(labels), len(KINDS)
    wanted = np.zeros((count, kinds))
    wanted[np.arange(count), labels] = 1
    sizes = np.bincount(labels, worths, kinds)
    importance = worths * np.sqrt(worths.sum() / (kinds * sizes[labels]))
    importance /= importance.sum()
    weights = np.zeros((width + 1, kinds))
    mean, square = np.zeros_like(weights), np.zeros_like(weights)
    order = np.argsort(cells, kind="stable")
    for step in range(1, _STEPS + 1):
        scores = np.stack([np.bincount(rows, weights[cells, kind], count) for kind in range(kinds)], 1) + weights[-1]
        scores -= scores.max(1, keepdims=True)
        shares = np.exp(scores)
        shares /= shares.sum(1, keepdims=True)
        error = (shares - wanted) * importance[:, None]
        gradient = np.zeros_like(weights)
        for kind in range(kinds):
            gradient[:-1, kind] = np.bincount(cells[order], error[rows[order], kind], width)
        gradient[-1] = error.sum(0)
        gradient[:-1] += _DECAY * weights[:-1]
        mean = 0.9 * mean + 0.1 * gradient
        square = 0.999 * square + 0.001 * gradient**2
        rate = _RATE * min(1.0, 2 * (1 - step / (_STEPS + 1)))
        weights -= rate * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-9)
    return weights[:-1], weights[-1]


def _round_weights(features: list[int], weights: Floats, biases: Floats) -> Weights:
    """Return the weights as whole numbers of one byte, those of the weakest features left out."""
    strength = np.abs(weights).max(1)
    unit = float(strength.max()) / 127
    strongest: list[int] = sorted(np.argsort(-strength, kind="stable")[:MOST_FEATURES].tolist())
    by_feature = {features[one]: array("b", np.rint(weights[one] / unit).astype(int).tolist()) for one in strongest}
    return Weights(by_feature, unit, tuple(float(one) for one in biases), digest())


def _print_share(weights: Weights, domains: list[str]) -> None:
    made = list(training_sentences(domains_of_texts() - set(domains)))
    right: Counter[str] = Counter()
    stated: Counter[tuple[bool, bool]] = Counter()
    for one in made:
        judgement = classify_by_model(one.text, weights)
        right[one.kind] += judgement.kind == one.kind
        stated[one.kind in STATING, judgement.stating >= LEAST_STATING] += 1
    sizes = Counter(one.kind for one in made)
    for kind, size in sorted(sizes.items()):
        print(f"{kind:12} {right[kind]:4} of {size:4}")  # noqa: T201
    print(f"all          {sum(right.values()):4} of {len(made):4}")  # noqa: T201
    proposed = stated[True, True] + stated[False, True]
    print(f"states something: {stated[True, True]} of {stated[True, True] + stated[True, False]} found")  # noqa: T201
    print(f"                  {stated[True, True]} of {proposed} rightly")  # noqa: T201


if __name__ == "__main__":
    main()
