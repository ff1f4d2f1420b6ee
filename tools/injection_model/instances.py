"""Windows of the training texts as one sparse matrix."""

import random
from collections import defaultdict
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from almanac.content.disguised_letters import latin, plain
from almanac.content.injections.audience_words import AUDIENCE_WORDS
from almanac.content.injections.features import CONCEPT_FEATURES
from almanac.content.injections.frames import frame_of
from almanac.content.injections.order_words import ORDER_WORDS
from almanac.content.injections.score import FEWEST_CONCEPTS, FEWEST_WORDS, FEWEST_WORDS_OF_AN_ORDER, windows
from almanac.content.invisible_characters import visible
from tools.injection_model.benign_texts import Ordinary
from tools.injection_model.templates import TrainingText

# A feature counts that occurs in two templates or in fifty texts that are benign.
_TEMPLATES_OF_A_FEATURE = 2
_BENIGN_OF_A_FEATURE = 50
_SALADS = 1_500
_BITS_OF_A_NUMBER = 20

Floats = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Matrix:
    """Rows are windows, `columns` are features, both in order; `features` says which feature a column is.

    `starts` holds where each row begins in `columns` and `values`, `frames` and `texts` the frame and text of each row.
    """

    features: Whole
    starts: Whole
    columns: Whole
    values: Floats
    frames: Whole
    texts: Whole

    def rows(self, chosen: Whole) -> tuple[Whole, Whole, Floats]:
        """Return row, column and value of each cell of the rows `chosen`, which are numbered anew."""
        counts = self.starts[chosen + 1] - self.starts[chosen]
        ends = np.cumsum(counts)
        cells: Whole = np.repeat(self.starts[chosen] - (ends - counts), counts) + np.arange(int(counts.sum()))
        return np.repeat(np.arange(len(chosen)), counts), self.columns[cells], self.values[cells]


@dataclass(frozen=True, slots=True)
class Texts:
    """Labels of the texts: whether each is an attack or comes from installed software, and its template's number."""

    attack: Flags
    installed: Flags
    template: Whole


def instances(made: list[TrainingText], ordinary: list[Ordinary]) -> tuple[Texts, Matrix]:
    """Return the training texts and the matrix of their windows."""
    benign = [*made, *_documents(made), *_salads()]
    texts = Texts(
        np.array([one.attack for one in benign] + [False] * len(ordinary)),
        np.array([False] * len(benign) + [True] * len(ordinary)),
        np.array([one.template for one in benign] + [0] * len(ordinary)),
    )
    with ProcessPoolExecutor() as pool:
        read = pool.map(_windows, [one.text for one in benign] + [one.text for one in ordinary], chunksize=200)
        return texts, _matrix(texts, read)


def _windows(text: str) -> list[tuple[Whole, int, int, int]]:
    """Return the features of each window, how many of them are of words and of concepts, and the frame."""
    found: list[tuple[Whole, int, int, int]] = []
    for window in windows(latin(plain(visible(text)))):
        if window.words >= FEWEST_WORDS_OF_AN_ORDER:
            features = np.array([*sorted(window.lexical), *sorted(window.conceptual)], dtype=np.int64)
            frame = int(frame_of(window.present, window.first))
            found.append((features, len(window.lexical), len(window.conceptual), frame))
    return found


def _matrix(texts: Texts, read: Iterable[list[tuple[Whole, int, int, int]]]) -> Matrix:
    found = [(number, *window) for number, listed in enumerate(read) for window in listed]
    text_of = np.array([one[0] for one in found])
    lengths = np.array([len(one[1]) for one in found])
    row_of = np.repeat(np.arange(len(found)), lengths)
    cells = np.concatenate([one[1] for one in found])
    of_concept = cells < CONCEPT_FEATURES
    words, concepts = np.array([one[2] for one in found]), np.array([one[3] for one in found])
    values = np.where(
        of_concept,
        1 / np.sqrt(np.maximum(FEWEST_CONCEPTS, concepts))[row_of],
        1 / np.sqrt(np.maximum(FEWEST_WORDS, words))[row_of],
    )
    features, columns = _frequent_features(texts, cells, text_of[row_of])
    kept = columns >= 0
    starts = np.concatenate([[0], np.cumsum(np.bincount(row_of[kept], minlength=len(found)))])
    frames = np.array([one[4] for one in found])
    return Matrix(features, starts, columns[kept], values[kept], frames, text_of)


def _frequent_features(texts: Texts, cells: Whole, text_of: Whole) -> tuple[Whole, Whole]:
    """Return the features that occur often enough, and the column of each cell, -1 for the others."""
    features, numbers = np.unique(cells, return_inverse=True)
    attack, made = texts.attack[text_of], ~texts.installed[text_of]
    templates = np.unique((numbers[made] << _BITS_OF_A_NUMBER) + texts.template[text_of[made]]) >> _BITS_OF_A_NUMBER
    benign = np.unique((numbers[~attack] << _BITS_OF_A_NUMBER) + text_of[~attack]) >> _BITS_OF_A_NUMBER
    often = np.bincount(templates, minlength=len(features)) >= _TEMPLATES_OF_A_FEATURE
    often |= np.bincount(benign, minlength=len(features)) >= _BENIGN_OF_A_FEATURE
    column_of = np.where(often, np.cumsum(often) - 1, -1)
    return features[often], column_of[numbers]


def _documents(texts: list[TrainingText]) -> list[TrainingText]:
    """Benign texts after one another, so that any two sentences may be neighbours."""
    chance = random.Random(45)  # noqa: S311 - a seed is what is wanted
    by_language: dict[str, list[TrainingText]] = defaultdict(list)
    for made in texts:
        if not made.attack:
            by_language[made.language].append(made)
    joined: list[TrainingText] = []
    for language, benign in sorted(by_language.items()):
        for _ in range(len(benign) // 4):
            drawn = [chance.choice(benign) for _ in range(4)]
            seam = chance.choice([" ", " ", "\n", "\n\n", "\n- "])
            joined.append(
                TrainingText(seam.join(one.text for one in drawn), False, language, "document", drawn[0].template)
            )
    return joined


def _salads() -> list[TrainingText]:
    """Words of the tables at random: benign, so that only what attacks really combine counts, and not sheer number."""
    chance = random.Random(11)  # noqa: S311 - a seed is what is wanted
    tables = (ORDER_WORDS, AUDIENCE_WORDS)
    listed = [word.rstrip("*") for table in tables for words in table.values() for word in words.split()]
    signs = ["https://example.com/a", "load_config", "{name}", "ann@example.com", "# ", "= ", "(), ", "\n", ", "]

    def word(rare: float) -> str:
        drawn = chance.random()
        if drawn < rare:
            return "zq" + chance.choice("abcdefgh") * chance.randint(1, 6)
        return chance.choice(signs) if drawn < rare + 0.15 * (1 - rare) else chance.choice(listed)

    made: list[TrainingText] = []
    for _ in range(_SALADS):
        rare = chance.uniform(0.0, 0.6)
        length = chance.choice((4, 5, 6, 7, 8, 10, 12, 16, 24, 36))
        made.append(TrainingText(" ".join(word(rare) for _ in range(length)), False, "none", "salad", 0))
    return made
