"""Train the model of injections on the texts of this folder and write its weights into the package.

    python -m tools.injection_model.train [--out FILE]

Logistic regression by full-batch Adam: no chance is involved but the seeds of the templates and of what is left out.
"""

import argparse
from pathlib import Path

import numpy as np
import numpy.typing as npt

from almanac.content.injections.features import CONCEPT_FEATURES
from almanac.content.injections.scoring import score_of
from almanac.content.injections.weights import WEIGHTS_FILE, Weights, packed
from tools.injection_model.instances import Floats, Matrix, bags_of, matrix_of
from tools.injection_model.templates import Made, digest, made_texts

# Of windows that are plain, hinted, framed and told (`frames.py`): few texts from elsewhere are marked with these.
THRESHOLDS = (4.4, 2.3, 0.8, 5.4)
MOST_WEIGHTS = 36_000
_ROUNDS = 2
_STEPS = 200
_RATE = 0.12
_L2_WORDS = 2e-5
_L2_CONCEPTS = 1.5e-6


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--out", type=Path, default=WEIGHTS_FILE)
    given = arguments.parse_args()
    weights = trained(list(made_texts()))
    given.out.write_bytes(packed(weights))
    print(f"{len(weights.by_feature)} weights, {given.out.stat().st_size} bytes")  # noqa: T201


def trained(texts: list[Made]) -> Weights:
    """Return the weights for `texts`."""
    bags, columns = bags_of(texts)
    concept = np.array([feature < CONCEPT_FEATURES for feature in columns] + [True])
    fitted = _fitted(matrix_of(bags, columns, None), np.zeros(len(columns) + 1), concept)
    for _ in range(_ROUNDS - 1):
        model = _rounded(columns, fitted)
        fitted = _fitted(matrix_of(bags, columns, lambda one, model=model: score_of(one, model)), fitted, concept)
    return _rounded(columns, fitted)


def _fitted(data: Matrix, start: Floats, concept: npt.NDArray[np.bool_]) -> Floats:
    weights = start.copy()
    decay = np.where(concept, _L2_CONCEPTS, _L2_WORDS)
    decay[-1] = 0
    mean = np.zeros_like(weights)
    square = np.zeros_like(weights)
    count = len(data.labels)
    for step in range(1, _STEPS + 1):
        scores = np.bincount(data.rows, data.values * weights[data.columns], count)
        error = (1 / (1 + np.exp(-np.clip(scores, -30, 30))) - data.labels) * data.importance
        gradient = np.bincount(data.columns, data.values * error[data.rows], len(weights)) + decay * weights
        mean = 0.9 * mean + 0.1 * gradient
        square = 0.999 * square + 0.001 * gradient**2
        rate = _RATE * min(1.0, 2 * (1 - step / (_STEPS + 1)))
        weights -= rate * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-9)
    return weights


def _rounded(columns: dict[int, int], weights: Floats) -> Weights:
    """Return the weights as whole numbers of one byte, the smallest left out."""
    values = {feature: float(weights[column]) for feature, column in columns.items()}
    unit = max(abs(value) for value in values.values()) / 127
    strongest = sorted(values, key=lambda one: (-abs(values[one]), one))[:MOST_WEIGHTS]
    kept = {feature: round(values[feature] / unit) for feature in sorted(strongest)}
    by_feature = {feature: value for feature, value in kept.items() if value}
    return Weights(by_feature, unit, float(weights[-1]), THRESHOLDS, digest())


if __name__ == "__main__":
    main()
