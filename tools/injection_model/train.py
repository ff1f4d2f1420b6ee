"""Train the model of injections on the texts of this folder and write its weights into the package.

    python -m tools.injection_model.train [--out FILE]
    python -m tools.injection_model.train --validate

`--validate` writes nothing: it leaves out whole kinds of texts, a fifth of the kinds each time, and prints how many
texts of them are marked at several thresholds, and how many ordinary paragraphs that are for measuring.

Logistic regression by full-batch Adam. Ordinary text of installed software is benign too (`benign_texts.py`): what is
installed changes the weights a little, the texts of this folder make them.
"""

import argparse
from collections import Counter
from pathlib import Path
from zlib import crc32

import numpy as np

from almanac.content.injections.frames import Frame
from almanac.content.injections.score import MOST_WINDOWS_COUNTED, OF_A_LONGER_TEXT
from almanac.content.injections.weights import WEIGHTS_FILE, Weights, pack_weights
from tools.injection_model.benign_texts import Ordinary, ordinary_texts
from tools.injection_model.instances import Flags, Floats, Matrix, Texts, Whole, instances
from tools.injection_model.templates import digest, training_texts

# One ordinary paragraph in a thousand that had no part in training scores more than this.
THRESHOLD = 0.65
# A window without a frame needs so much more, because ordinary sentences seldom have one.
UNFRAMED = 0.15
MOST_WEIGHTS = 38_000
_MOST_OF_A_KIND = 6_000
_ROUNDS = 2
_FOLDS = 5
_STEPS = 120
_RATE = 0.12
_DECAY = 5e-5
# What errors cost: of all attacks together 1.
_COST_OF_MADE = 3.0
_COST_OF_INSTALLED = 2.0
# Windows of installed texts: all that score more than this, and a sample of the others.
_HARD = -1.5
_SAMPLE = 20_000


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--out", type=Path, default=WEIGHTS_FILE)
    arguments.add_argument("--validate", action="store_true")
    given = arguments.parse_args()
    if given.validate:
        _validate()
        return
    weights = _round_weights(*_train(*instances(list(training_texts()), _installed_texts())))
    given.out.write_bytes(pack_weights(weights))
    print(f"{len(weights.by_feature)} weights, {given.out.stat().st_size} bytes")  # noqa: T201


def _installed_texts() -> list[Ordinary]:
    """Return ordinary texts that are not for measuring, a bounded number of each kind."""
    taken: Counter[str] = Counter()
    texts = [one for one in ordinary_texts() if not one.measuring]
    chance = np.random.default_rng(3)
    kept: list[Ordinary] = []
    for place in chance.permutation(len(texts)).tolist():
        one = texts[int(place)]
        taken[one.kind] += 1
        if taken[one.kind] <= _MOST_OF_A_KIND:
            kept.append(one)
    return kept


def _validate() -> None:
    """Print the shares of marked texts of kinds that were left out, and of ordinary texts that are for measuring."""
    made = list(training_texts())
    ordinary = [*_installed_texts(), *(one for one in ordinary_texts() if one.measuring)]
    texts, data = instances(made, ordinary)
    whole = len(texts.attack) - len(ordinary)
    fold = np.full(len(texts.attack), -1)
    fold[: len(made)] = [crc32(one.kind.encode()) % _FOLDS for one in made]
    fold[whole:] = [_FOLDS if one.measuring else -1 for one in ordinary]
    margins = np.full((_FOLDS, len(texts.attack)), -np.inf)
    for number in range(_FOLDS):
        _, weights = _train(texts, data, (fold == number) | (fold == _FOLDS))
        margins[number] = _margins(data, _scores(data, weights), len(texts.attack))
    of_kinds = margins.max(axis=0, initial=-np.inf, where=np.arange(_FOLDS)[:, None] == fold)
    left_out = (fold >= 0) & (fold < _FOLDS)
    print("threshold, attacks, benign, ordinary")  # noqa: T201
    for threshold in np.arange(0.0, 3.1, 0.25):
        shares = (
            (of_kinds[left_out & texts.attack] > threshold).mean(),
            (of_kinds[left_out & ~texts.attack] > threshold).mean(),
            (margins[:, fold == _FOLDS] > threshold).mean(),
        )
        print(f"{threshold:.2f}", *(f"{100 * share:.2f} %" for share in shares))  # noqa: T201


def _margins(data: Matrix, scores: Floats, texts: int) -> Floats:
    """Return the highest score of each text, less what `most_suspect` takes from texts of many windows."""
    best = np.full(texts, -np.inf)
    np.maximum.at(best, data.texts, scores)
    counted = np.bincount(data.texts, minlength=texts).clip(1, MOST_WINDOWS_COUNTED)
    return best - OF_A_LONGER_TEXT * np.log(counted)


def _train(texts: Texts, data: Matrix, left_out: Flags | None = None) -> tuple[Matrix, Floats]:
    """Return the weights: one for each column, then the bias, then one for each frame."""
    chance = np.random.default_rng(0)
    weights = np.zeros(len(data.features) + 1 + len(Frame))
    attack, installed = texts.attack[data.texts], texts.installed[data.texts]
    read = np.full(len(attack), True) if left_out is None else ~left_out[data.texts]
    of_attacks, made, of_installed = (np.flatnonzero(read & one) for one in (attack, ~attack & ~installed, installed))
    for number in range(_ROUNDS):
        scores = _scores(data, weights)
        # Of each attack the most suspect window is one; at first the last, which holds two sentences if there are two.
        order = np.lexsort((scores[of_attacks] if number else of_attacks, data.texts[of_attacks]))
        owner = data.texts[of_attacks][order]
        best = of_attacks[order][np.append(np.diff(owner) > 0, True)]
        hard = of_installed[scores[of_installed] > _HARD] if number else of_installed[:0]
        easy = chance.choice(of_installed, min(_SAMPLE, len(of_installed)), replace=False)
        easy = np.setdiff1d(easy, hard)
        each, of_made = _shares(texts.template[data.texts[best]]), _shares(texts.template[data.texts[made]])
        batch = _Batch(data)
        batch.add(best, 1.0, each)
        batch.add(made, 0.0, _COST_OF_MADE * of_made)
        share = _COST_OF_INSTALLED / max(1, len(of_installed))
        batch.add(hard, 0.0, np.full(len(hard), share))
        batch.add(easy, 0.0, np.full(len(easy), share * (len(of_installed) - len(hard)) / max(1, len(easy))))
        weights = batch.fit(weights)
    return data, weights


def _shares(templates: Whole) -> Floats:
    """Return the weight of each window, together 1: a template weighs as the root of the number of its texts."""
    each = 1 / np.sqrt(np.bincount(templates)[templates])
    return each / each.sum()


def _scores(data: Matrix, weights: Floats) -> Floats:
    rows = np.repeat(np.arange(len(data.frames)), np.diff(data.starts))
    found = np.bincount(rows, data.values * weights[data.columns], len(data.frames))
    return found + weights[len(data.features)] + weights[len(data.features) + 1 :][data.frames]


class _Batch:
    """The rows of one round."""

    def __init__(self, data: Matrix) -> None:
        self._data = data
        self._rows: list[Whole] = []
        self._columns: list[Whole] = []
        self._values: list[Floats] = []
        self._labels: list[Floats] = []
        self._costs: list[Floats] = []
        self._frames: list[Whole] = []
        self._count = 0

    def add(self, windows: Whole, label: float, cost: Floats) -> None:
        """Add windows of one label, with what an error costs in each."""
        rows, columns, values = self._data.rows(windows)
        self._rows.append(rows + self._count)
        self._columns.append(columns)
        self._values.append(values)
        self._labels.append(np.full(len(windows), label))
        self._costs.append(cost)
        self._frames.append(self._data.frames[windows])
        self._count += len(windows)

    def fit(self, start: Floats) -> Floats:
        rows, columns, frames = (np.concatenate(one) for one in (self._rows, self._columns, self._frames))
        values, labels, costs = (np.concatenate(one) for one in (self._values, self._labels, self._costs))
        features = len(self._data.features)
        decay = np.append(np.full(features, _DECAY), np.zeros(1 + len(Frame)))
        weights, mean, square = start.copy(), np.zeros_like(start), np.zeros_like(start)
        for step in range(1, _STEPS + 1):
            scores = np.bincount(rows, values * weights[columns], self._count)
            scores += weights[features] + weights[features + 1 :][frames]
            error = (1 / (1 + np.exp(-np.clip(scores, -30, 30))) - labels) * costs
            gradient = np.concatenate(
                (
                    np.bincount(columns, values * error[rows], features),
                    [error.sum()],
                    np.bincount(frames, error, len(Frame)),
                )
            )
            gradient += decay * weights
            mean = 0.9 * mean + 0.1 * gradient
            square = 0.999 * square + 0.001 * gradient**2
            rate = _RATE * min(1.0, 2 * (1 - step / (_STEPS + 1)))
            weights -= rate * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-9)
        return weights


def _round_weights(data: Matrix, weights: Floats) -> Weights:
    """Return the weights as whole numbers of one byte, the smallest left out."""
    values = {int(feature): float(weight) for feature, weight in zip(data.features, weights, strict=False)}
    unit = max(abs(value) for value in values.values()) / 127
    strongest = sorted(values, key=lambda one: (-abs(values[one]), one))[:MOST_WEIGHTS]
    kept = {feature: round(values[feature] / unit) for feature in sorted(strongest)}
    bias, *frames = (float(one) for one in weights[len(data.features) :])
    plain, hinted, framed, told = (THRESHOLD - one for one in frames)
    thresholds = (plain + UNFRAMED, hinted, framed, told + UNFRAMED)
    by_feature = {feature: value for feature, value in kept.items() if value}
    return Weights(by_feature, unit, bias, thresholds, digest())


if __name__ == "__main__":
    main()
